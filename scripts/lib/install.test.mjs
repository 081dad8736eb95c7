import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { completePackages } from "../complete-lock.mjs";
import { installNeeded } from "./install.mjs";
import { runsTypeScript } from "./node.mjs";

let clone;
beforeEach(() => {
	clone = mkdtempSync(path.join(os.tmpdir(), "spillway-install-test-"));
	mkdirSync(path.join(clone, "node_modules"));
});
afterEach(() => rmSync(clone, { recursive: true }));

const write = (file, packages) => writeFileSync(path.join(clone, file), JSON.stringify({ packages }));

describe("an install", () => {
	it("is needed if nothing is installed", () => {
		write("package-lock.json", {});
		expect(installNeeded(clone)).toBe("nothing is installed yet");
	});

	it("is needed for a package in another version, but not for an optional package of another platform", () => {
		const wanted = { "": {}, "node_modules/a": { version: "2.0.0" }, "node_modules/b-darwin": { version: "1.0.0", optional: true } };
		write("package-lock.json", wanted);
		write("node_modules/.package-lock.json", { "node_modules/a": { version: "1.0.0" } });
		expect(installNeeded(clone)).toBe("a 2.0.0 is missing");
		write("node_modules/.package-lock.json", { "node_modules/a": { version: "2.0.0" } });
		expect(installNeeded(clone)).toBeUndefined();
	});
});

describe("a lock written by a partial registry", () => {
	it("gets the optional packages of other platforms, once", () => {
		const lock = {
			packages: {
				"": {},
				"node_modules/next": {
					optionalDependencies: {
						"@next/swc-darwin-arm64": "16.4.6",
						"@next/swc-linux-x64-musl": "16.4.6",
						present: "1.0.0",
						odd: "1.0.0",
					},
				},
				"node_modules/next/node_modules/present": { version: "1.0.0" },
			},
		};
		const { packages, added, skipped } = completePackages(lock);
		expect(added).toEqual(["@next/swc-darwin-arm64@16.4.6", "@next/swc-linux-x64-musl@16.4.6"]);
		expect(skipped).toEqual(["odd"]);
		expect(packages["node_modules/@next/swc-linux-x64-musl"]).toEqual({
			version: "16.4.6",
			cpu: ["x64"],
			libc: ["musl"],
			optional: true,
			os: ["linux"],
		});
		expect(completePackages({ packages }).added).toEqual([]);
	});
});

it.each([
	["v20.20.2", false],
	["v22.17.9", false],
	["v22.18.0", true],
	["v24.0.0", true],
])("Node %s runs TypeScript: %s", (version, expected) => expect(runsTypeScript(version)).toBe(expected));
