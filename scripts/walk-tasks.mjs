// `npm run walk:tasks`: 25 tasks of the three roles in a browser, on a fresh demo company. Prints clicks, filled fields and seconds as a
// table for docs/tasks.md. Exit code 1 if a task fails or takes more than 8 clicks. The seconds depend on the machine: use an idle one.
import { existsSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";
import { root } from "./lib/node.mjs";
import { main } from "./lib/test-main.mjs";

const table = path.join(root, "test-results/tasks.md");
rmSync(table, { force: true });
await main(["e2e", "tasks.spec"]);
if (existsSync(table)) console.log(`\n${readFileSync(table, "utf8")}`);
