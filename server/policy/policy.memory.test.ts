import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { isDeep } from "#server/kernel/testing/deep.ts";

const run = promisify(execFile);
/** Memory that texts within the limits may retain at once, including the program itself, MiB. */
const HEAP_MIB = 64;
const LIMITED = [`--max-old-space-size=${HEAP_MIB}`, "--max-semi-space-size=4"];

describe.runIf(isDeep)("memory", { timeout: 300_000 }, () => {
	it(`of ${HEAP_MIB} MiB is enough to parse, complete, merge and evaluate whatever is within the limits`, async () => {
		const program = fileURLToPath(new URL("./testing/take-memory.ts", import.meta.url));
		await expect(run(process.execPath, [...LIMITED, program])).resolves.toMatchObject({ stderr: "" });
	});

	it("beyond the limit ends a process, so that the test above can fail", async () => {
		const hog = `const kept = []; for (let i = 0; i < ${2 * HEAP_MIB}; i++) kept.push(Array.from({ length: 131072 }, (_, k) => k + 0.5)); console.log(kept.length);`;
		await expect(run(process.execPath, [...LIMITED, "-e", hog])).rejects.toThrow(/heap out of memory|Command failed/);
	});
});
