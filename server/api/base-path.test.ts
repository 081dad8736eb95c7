import { mkdtempSync, rmSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { putBaseBack, requireBuiltFor, takeBaseOff } from "./base-path.ts";

const request = (url: string) => ({ url }) as IncomingMessage;

it.each([
	["/tools/spillway", "/", "/tools/spillway"],
	["/tools/spillway?a=1", "/?a=1", "/tools/spillway?a=1"],
	["/tools/spillway/", "/", "/tools/spillway"],
	["/tools/spillway/jobs?a=/b", "/jobs?a=/b", "/tools/spillway/jobs?a=/b"],
	["/tools/spillway/api/v1/jobs", "/api/v1/jobs", "/tools/spillway/api/v1/jobs"],
	// A proxy took the path off, or a probe asks the server itself.
	["/jobs", "/jobs", "/tools/spillway/jobs"],
	["/", "/", "/tools/spillway"],
	["/tools/spillways", "/tools/spillways", "/tools/spillway/tools/spillways"],
])("%s is %s here, and %s for the pages", (asked, here, page) => {
	const req = request(asked);
	takeBaseOff(req, "/tools/spillway");
	expect(req.url).toBe(here);
	expect(putBaseBack(req, "/tools/spillway").url).toBe(page);
});

it("changes nothing without a base path", () => {
	const req = request("/?a=1");
	takeBaseOff(req, "");
	expect(putBaseBack(req, "").url).toBe("/?a=1");
});

it("refuses pages that were built for another path", async () => {
	const root = mkdtempSync(path.join(os.tmpdir(), "spillway-base-"));
	onTestFinished(() => rmSync(root, { recursive: true }));
	await mkdir(path.join(root, ".next"));
	await writeFile(path.join(root, ".next/routes-manifest.json"), JSON.stringify({ basePath: "/spillway" }));
	expect(() => requireBuiltFor("/spillway", root)).not.toThrow();
	expect(() => requireBuiltFor("", root)).toThrow('built for the path /spillway, and the path of SPILLWAY_URL is "/"');
});
