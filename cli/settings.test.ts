import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { parseCommandArgs } from "./args.ts";
import { readSettings, type Settings } from "./settings.ts";

let folder: string;
beforeEach(() => {
	folder = mkdtempSync(path.join(os.tmpdir(), "spillway-settings-"));
});

function settings(argv: string[], env: Record<string, string> = {}): Settings {
	return readSettings(parseCommandArgs(argv, {}), {
		env: { HOME: folder, ...env },
		cwd: path.join(folder, "cwd"),
		packageRoot: path.join(folder, "clone"),
	});
}

function writeToken(place: string, token: string): void {
	mkdirSync(path.join(folder, place), { recursive: true });
	writeFileSync(path.join(folder, place, "token"), token);
}

describe("the trace of a command", () => {
	it("is passed on when valid", () => {
		const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
		expect(settings([], { TRACEPARENT: traceparent, TRACESTATE: "a=b" }).traceHeaders).toEqual({ traceparent, tracestate: "a=b" });
		expect(settings([], { TRACEPARENT: "no\nheader" }).traceHeaders).toEqual({});
	});
});

describe("the address", () => {
	it.each([
		[[], {}, "http://127.0.0.1:3000"],
		[[], { SPILLWAY_PORT: "3100" }, "http://127.0.0.1:3100"],
		[[], { SPILLWAY_PORT: "3100", SPILLWAY_URL: "https://spillway.example/base/" }, "https://spillway.example/base"],
		[["--url", "http://localhost:1"], { SPILLWAY_URL: "http://other" }, "http://localhost:1"],
	] as [string[], Record<string, string>, string][])("%j %j is %s", (argv, env, url) => {
		expect(settings(argv, env).url).toBe(url);
	});
	it.each([
		[["--url", "localhost"], {}, '--url: "localhost"'],
		[["--url", "file:///etc"], {}, "--url"],
		[["--url", "http://user:secret@host"], {}, "must not contain a user"],
		[[], { SPILLWAY_URL: "nowhere" }, "SPILLWAY_URL"],
		[[], { SPILLWAY_PORT: "70000" }, 'SPILLWAY_PORT: "70000" is not a port'],
	] as [string[], Record<string, string>, string][])("%j %j is rejected", (argv, env, message) => {
		expect(() => settings(argv, env)).toThrow(message);
	});
});

describe("the token", () => {
	it("comes from the flag, the environment, SPILLWAY_HOME, the clone and the current folder, in this order", () => {
		expect(settings([]).token).toBeNull();
		writeToken("cwd/.spillway", "of-cwd\n");
		expect(settings([]).token).toBe("of-cwd");
		writeToken("clone/.spillway", "of-clone\n");
		expect(settings([]).token).toBe("of-clone");
		writeToken("home", "of-home");
		expect(settings([], { SPILLWAY_HOME: path.join(folder, "home") }).token).toBe("of-home");
		expect(settings([], { SPILLWAY_HOME: path.join(folder, "none") }).token).toBeNull();
		expect(settings([], { SPILLWAY_TOKEN: "of-env" }).token).toBe("of-env");
		expect(settings(["--token", "of-flag"], { SPILLWAY_TOKEN: "of-env" }).token).toBe("of-flag");
	});
	it("is rejected without being shown when malformed", () => {
		writeToken("clone/.spillway", "two secret words");
		expect(() => settings([])).toThrow(/token: this is not a token/);
		expect(() => settings([])).not.toThrow(/secret/);
		expect(() => settings(["--token", "with\u0007bell"])).toThrow("--token: this is not a token");
	});
});
