import { describe, expect, it } from "vitest";
import { COMMANDS } from "./commands/all.ts";
import { EXIT, EXIT_MEANINGS, exitOfStatus, oneLine } from "./exit.ts";
import { commandHelp, overview } from "./help.ts";

describe("exit codes", () => {
	it.each([
		[400, 2],
		[413, 2],
		[401, 4],
		[403, 4],
		[404, 3],
		[409, 5],
		[412, 5],
		[500, 6],
		[503, 6],
	])("status %d is %d", (status, code) => {
		expect(exitOfStatus(status)).toBe(code);
	});
	it("are all explained in help", () => {
		expect(EXIT_MEANINGS.map(([code]) => code).sort()).toEqual(Object.values(EXIT).sort());
		for (const [code, meaning] of EXIT_MEANINGS) expect(overview(COMMANDS)).toMatch(new RegExp(`^ +${code} +${meaning.slice(0, 20)}`, "m"));
	});
	it("errors are one line without control characters", () => {
		expect(oneLine("a\n  b\u001b[31m\tc\r\n")).toBe("a b [31m c");
	});
});

describe("help", () => {
	it("lists every command, its flags, and matching examples", () => {
		for (const command of COMMANDS) {
			expect(overview(COMMANDS)).toContain(`  ${command.name}`);
			const text = commandHelp(command);
			for (const flag of Object.keys(command.options)) expect(text).toContain(`--${flag}`);
			for (const example of command.examples) expect(example).toMatch(new RegExp(`^spillway ${command.name}\\b`));
		}
	});
});
