import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";

const MYPY = "/usr/bin/mypy";

it.skipIf(!existsSync(MYPY))("the Python client is fully typed for Python 3.9 (skipped without mypy)", async () => {
	const cache = await mkdtemp(path.join(os.tmpdir(), "spillway-mypy-"));
	onTestFinished(() => rm(cache, { recursive: true, force: true }));
	const ran = await promisify(execFile)(MYPY, ["--cache-dir", cache, "src", "build", "tests"], { cwd: import.meta.dirname }).catch(
		(error: { stdout: string }) => error,
	);
	expect(ran.stdout).toMatch(/^Success: no issues found/);
});
