import { describe, expect, it } from "vitest";
import { parseCommandArgs, splitCommand } from "./args.ts";
import { CliError, EXIT } from "./exit.ts";
import { JOB_OPTIONS } from "./job-input.ts";

function refusal(...argv: string[]): string {
	try {
		parseCommandArgs(argv, JOB_OPTIONS);
	} catch (error) {
		if (error instanceof CliError && error.exitCode === EXIT.badInput) return error.message;
		throw error;
	}
	throw new Error("was not refused");
}

describe("splitCommand", () => {
	it.each([
		[["jobs", "--json"], "jobs", ["--json"]],
		[["--json", "jobs"], "jobs", ["--json"]],
		[["--url", "http://x", "jobs"], "jobs", ["--url", "http://x"]],
		[["--url=http://x", "jobs", "y"], "jobs", ["--url=http://x", "y"]],
		[["--help"], null, ["--help"]],
		[[], null, []],
		[["--", "jobs"], null, ["--", "jobs"]],
	] as [string[], string | null, string[]][])("%j", (argv, name, rest) => {
		expect(splitCommand(argv)).toEqual({ name, rest });
	});
});

describe("parseCommandArgs", () => {
	it("keeps everything after -- for the command to run", () => {
		const args = parseCommandArgs(["--gpus", "2", "--", "sh", "-c", "echo --gpus", "--", "x"], JOB_OPTIONS);
		expect(args.command).toEqual(["sh", "-c", "echo --gpus", "--", "x"]);
		expect(args.text("gpus")).toBe("2");
		expect(parseCommandArgs(["a"], {})).toMatchObject({ command: null, positionals: ["a"] });
	});
	it("accepts values with =, after a space and by short names, and uses the last of several", () => {
		const args = parseCommandArgs(["-f", "a.yaml", "--name=x=y", "--name", "z", "--env", "A=1", "--env=B=2", "--json"], JOB_OPTIONS);
		expect([args.text("file"), args.text("name"), args.list("env"), args.has("json"), args.has("wait")]).toEqual([
			"a.yaml",
			"z",
			["A=1", "B=2"],
			true,
			false,
		]);
	});
	it("accepts --workdir with and without a folder", () => {
		const workdir = (...argv: string[]): string | undefined => parseCommandArgs(argv, JOB_OPTIONS).text("workdir");
		expect([
			workdir("--workdir"),
			workdir("--workdir", "sub"),
			workdir("--workdir=sub"),
			workdir("--workdir", "--json"),
			workdir("--workdir", "--", "x"),
		]).toEqual([".", "sub", "sub", ".", "."]);
	});
	it("reports the nearest flag, a missing value and an extra value", () => {
		expect(refusal("--gpu", "1")).toBe("There is no flag --gpu. Did you mean --gpus?");
		expect(refusal("--zzzzzzzz")).toMatch(/^There is no flag --zzzzzzzz\. Use one of: --file, --gpus, /);
		expect(refusal("--__proto__")).toMatch(/^There is no flag/);
		expect(refusal("--constructor=1")).toMatch(/^There is no flag/);
		expect(refusal("-z")).toMatch(/^There is no flag -z\. Short flags: -f, -h\./);
		expect(refusal("--name", "--wait")).toBe("--name needs a value: --name NAME.");
		expect(refusal("--name")).toBe("--name needs a value: --name NAME.");
		expect(refusal("--json=yes")).toBe('--json takes no value, got "yes".');
	});
	it("bounds whole numbers", () => {
		const options = { tail: { value: "N", help: "" } };
		const tail = (text: string) => parseCommandArgs(["--tail", text], options).wholeNumber("tail", { min: 1, max: 10 });
		expect([tail("1"), tail("10")]).toEqual([1, 10]);
		for (const text of ["0", "11", "-1", "1.5", "1e1", "x", ""]) expect(() => tail(text)).toThrow("is not a whole number from 1 to 10");
	});
});
