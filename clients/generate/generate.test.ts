import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
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
	expect(JSON.parse(read("typescript/package.json"))).toMatchObject({ version: packageJson.version });
});

it("the TypeScript package builds by itself", async () => {
	const out = mkdtempSync(path.join(os.tmpdir(), "spillway-typescript-"));
	onTestFinished(() => rmSync(out, { recursive: true }));
	const tsc = path.join(clients, "../node_modules/typescript/bin/tsc");
	const built = promisify(execFile)(process.execPath, [tsc, "-p", path.join(clients, "typescript/tsconfig.build.json"), "--outDir", out]);
	expect((await built.catch((error: { stdout: string }) => error)).stdout).toBe("");
	const { exports } = JSON.parse(read("typescript/package.json")) as { exports: Record<string, Record<string, string>> };
	const files = Object.values(exports).flatMap((entry) => Object.values(entry));
	for (const file of files) expect(existsSync(path.join(out, path.relative("dist", file))), file).toBe(true);
});
