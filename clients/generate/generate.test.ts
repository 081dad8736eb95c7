import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { generate } from "./generate.ts";

const clients = path.resolve(import.meta.dirname, "..");
const read = (file: string): string => readFileSync(path.join(clients, file), "utf8");

it("the generated sources of the clients are those of the contract; npm run clients writes them again", () => {
	for (const [file, text] of Object.entries(generate()))
		expect(read(file) === text, `clients/${file} differs from the contract`).toBe(true);
});

it("the packages have the version of the project", () => {
	expect(read("python/pyproject.toml")).toContain(`version = "${packageJson.version}"`);
});
