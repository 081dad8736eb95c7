import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";

const root = new URL("../../", import.meta.url);
const read = (file: string) => readFile(new URL(file, root), "utf8");
const sorted = (names: Iterable<string | undefined>) => [...new Set(names)].sort();

it("computes every task that a service or a door sends to a thread, and no other", async () => {
	const files = globSync("server/{services,api}/**/*.ts", { cwd: root, exclude: (file) => file.endsWith(".test.ts") });
	const sources = await Promise.all(files.map((file) => read(String(file))));
	const sent = sources.flatMap((text) => [...text.matchAll(/\boffLoop\(\s*[\w.]+,\s*"([\w.]+)"/g)].map(([, task]) => task));
	const known = [...(await read("server/bin/web-thread.ts")).matchAll(/^\t"([\w.]+)":/gm)].map(([, task]) => task);
	expect(sorted(sent)).toEqual(sorted(known));
});
