import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { renderOperations } from "./testing/render-operations.ts";

const PAGE = path.resolve(import.meta.dirname, "../../docs/api.md");

it("fills the tables of docs/api.md (run with -u to update them)", async () => {
	await expect(renderOperations(readFileSync(PAGE, "utf8"))).toMatchFileSnapshot(PAGE);
});
