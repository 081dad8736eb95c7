import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { SpillwayError } from "#server/kernel/errors.ts";
import { cases } from "#server/kernel/testing/deep.ts";
import { parseTrace, readTrace, readTraceFile } from "./read-trace.ts";

const HEADER = "job_id,submit_s,duration_s,gpus,user,group,gpu_type,status,deadline_s,deadline_kind";
const csv = (...rows: string[]): string => `${[HEADER, ...rows].join("\n")}\n`;

/** The error from reading a text. */
function problem(text: string): SpillwayError {
	try {
		parseTrace(text, "t.csv");
	} catch (error) {
		if (error instanceof SpillwayError) return error;
		throw error;
	}
	throw new Error("the text was read");
}

describe("a CSV trace", () => {
	it("reads one job per row, by submission, with its columns", () => {
		const { jobs, notes } = parseTrace(csv("b,90,60.5,4,ann,risk,,ok,600,soft", "a,0,30,0.5,,,,,,"), "t.csv");
		expect(jobs.map((job) => job.id)).toEqual(["a", "b"]);
		expect(jobs[0]).toEqual({
			...{ id: "a", submitMs: 0, durationMs: 30_000, gpus: 1, team: "unknown", user: null, accelerators: [] },
			...{ deadlineMs: null, deadlineKind: null, status: null, limitMs: null },
		});
		expect(jobs[1]).toMatchObject({
			submitMs: 90_000,
			durationMs: 60_500,
			gpus: 4,
			team: "risk",
			user: "ann",
			deadlineMs: 600_000,
			deadlineKind: "soft",
		});
		expect(notes.fractionsRoundedUp).toBe(1);
	});
	it("finds columns by name in any order, and ignores others", () => {
		const { jobs, notes } = parseTrace("gpus,colour,duration_s,job_id,submit_s\r\n2,red,5,x,1\r\n", "t.csv");
		expect(jobs[0]).toMatchObject({ id: "x", gpus: 2, durationMs: 5_000, submitMs: 1_000 });
		expect(notes.ignoredColumns).toEqual(["colour"]);
	});
	it("reads a list of models as alternatives, by their known names", () => {
		const named = (name: string): readonly string[] => (name === "A100" ? ["A100-80GB", "A100-40GB"] : []);
		const [job] = parseTrace(csv("a,0,1,1,,,V100M16|A100|P100,,,"), "t.csv", { acceleratorsNamed: named }).jobs;
		expect(job?.accelerators).toEqual(["V100-16GB", "A100-80GB", "A100-40GB", "P100"]);
	});
	it("excludes and counts jobs without a GPU and jobs that never ran", () => {
		const { jobs, notes } = parseTrace(csv("a,0,1,0,,,,,,", "b,0,0,1,,,,,,", "c,0,1,1,,,,,,"), "t.csv");
		expect([jobs.length, notes.withoutGpus, notes.neverStarted]).toEqual([1, 1, 1]);
	});
	it("reads quoted fields", () => {
		expect(parseTrace(csv('"a ""b"", c",0,1,1,,,,,,'), "t.csv").jobs[0]?.id).toBe('a "b", c');
	});
	it.each([
		["a,0,1,-1,,,,,,", "line 2: gpus is -1; it cannot be below 0."],
		["a,0,NaN,1,,,,,,", 'line 2: duration_s is "NaN", which is no number.'],
		["a,0,1e5,1,,,,,,", 'line 2: duration_s is "1e5", which is no number.'],
		["a,,1,1,,,,,,", "line 2: submit_s is empty."],
		["a,99999999999,1,1,,,,,,", "line 2: submit_s is 99999999999, more than"],
		["a,0,1,1", "line 2: There are 4 fields, the header has 10."],
		["a,0,1,1,,,,,5,someday", 'line 2: deadline_kind is "someday".'],
		["a,0,1,1,,,,,,strict", "line 2: deadline_s is empty beside the kind strict."],
		['a,0,1,"1,,,,,,', "line 2: A quoted field does not end in its line."],
		[",0,1,1,,,,,,", "line 2: job_id is empty or too long."],
	])("rejects %s with its line", (row, message) => {
		const { code, message: told, fix } = problem(csv(row));
		expect([code, told]).toEqual(["invalid_input", expect.stringContaining(`t.csv, ${message}`)]);
		expect(fix).toContain("--lenient");
	});
	it("rejects a job that occurs twice, naming both lines", () => {
		expect(problem(csv("a,0,1,1,,,,,,", "", "a,5,1,1,,,,,,")).message).toContain("t.csv, line 4: The job a is in line 2 already.");
	});
	it("reports how many rows are invalid, and skips them when lenient", () => {
		const text = csv("a,0,1,1,,,,,,", "b,x,1,1,,,,,,", "c,y,1,1,,,,,,");
		expect(problem(text).message).toContain("(2 rows are wrong)");
		expect(problem(text).fields.map((field) => field.line)).toEqual([3, 4]);
		const { jobs, notes } = parseTrace(text, "t.csv", { lenient: true });
		expect([jobs.length, notes.badRows]).toEqual([1, 2]);
	});
	it("names a missing column, and suggests what another column probably meant", () => {
		expect(problem("job_id,submit_s,duration_s,gpu\n").fix).toBe("Did you mean gpus by gpu?");
		expect(problem("id;submit\n").message).toContain("no column job_id");
	});
	it.each([
		["", "the trace is empty"],
		["\n\n", "the trace is empty"],
		["\nx", "the first line is empty"],
		[`${HEADER}\n`, "holds no job that used a GPU"],
		[csv("a,0,0,1,,,,,,"), "holds no job that used a GPU (1 never started)"],
	])("reports that %j is empty", (text, message) => {
		expect(problem(text).message).toContain(message);
	});
});

const SACCT = "JobID|User|Account|Partition|Submit|Start|End|ElapsedRaw|TimelimitRaw|ReqTRES|AllocTRES|State";
const sacct = (...rows: string[]): string => `${[SACCT, ...rows].join("\n")}\n`;

describe("the output of sacct", () => {
	it("reads one job per row, skipping steps, jobs without GPUs and jobs that never ran", () => {
		const { jobs, notes, format, recordedStartMs } = parseTrace(
			sacct(
				"7|ann|risk|gpu|2026-03-01T08:00:10|2026-03-01T08:05:00|2026-03-01T09:05:00|3600|120|billing=8,gres/gpu=4|billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=64G,node=1|COMPLETED",
				"7.batch|||gpu|2026-03-01T08:05:00|2026-03-01T08:05:00|2026-03-01T09:05:00|3600||||COMPLETED",
				"7.0|||gpu|2026-03-01T08:05:00|2026-03-01T08:05:00|2026-03-01T09:05:00|3600||||COMPLETED",
				"6_3|bob|vision|gpu|2026-03-01T08:00:00|2026-03-01T08:00:00|Unknown|60||gres/gpu:a100=1|gres/gpu:a100=1|RUNNING",
				"8|bob|vision|cpu|2026-03-01T08:00:00|2026-03-01T08:00:00|2026-03-01T08:01:00|60||cpu=4|cpu=4|COMPLETED",
				"9|bob|vision|gpu|2026-03-01T08:00:00|Unknown|Unknown|0||gres/gpu=2||PENDING",
				"10|bob|vision|gpu|2026-03-01T10:00:00+02:00|2026-03-01T08:30:00|2026-03-01T08:30:05|5||gres/gpu=1|gres/gpu=1|CANCELLED by 1000",
			),
			"s",
		);
		expect([format, recordedStartMs]).toEqual(["sacct", Date.parse("2026-03-01T08:00:00Z")]);
		expect(jobs.map((job) => [job.id, job.submitMs, job.durationMs, job.gpus, job.team, job.status])).toEqual([
			["6_3", 0, 60_000, 1, "vision", "RUNNING"],
			["10", 0, 5_000, 1, "vision", "CANCELLED"],
			["7", 10_000, 3_600_000, 4, "risk", "COMPLETED"],
		]);
		expect(jobs[2]).toMatchObject({ limitMs: 7_200_000, user: "ann", accelerators: [] });
		expect(jobs[0]?.accelerators).toEqual(["a100"]);
		expect(notes).toMatchObject({ withoutGpus: 1, neverStarted: 1, stillRunning: 1 });
	});
	it("reads Elapsed and Timelimit if the raw columns are missing, and accepts a | at the end of every line", () => {
		const { jobs } = parseTrace(
			"JobID|Submit|Elapsed|Timelimit|AllocTRES|State|\n1|2026-03-01T08:00:00|1-02:03:04|UNLIMITED|gres/gpu:h100=2|TIMEOUT|\n",
			"s",
		);
		expect(jobs[0]).toMatchObject({ durationMs: ((26 * 60 + 3) * 60 + 4) * 1000, limitMs: null, gpus: 2, accelerators: ["h100"] });
	});
	it("counts a MIG slice as a whole GPU, and reports it", () => {
		const { jobs, notes } = parseTrace(sacct("1|a|b|c|1772352000|x|x|60|||gres/gpu:1g.5gb=2|COMPLETED"), "s");
		expect([jobs[0]?.gpus, jobs[0]?.accelerators, notes.fractionsRoundedUp]).toEqual([2, [], 1]);
	});
	it.each([
		["1|a|b|c|soon|x|x|60||gres/gpu=1||COMPLETED", 'line 2: Submit is "soon", which is no time.'],
		["x|a|b|c|2026-03-01T08:00:00|x|x|60||gres/gpu=1||COMPLETED", 'line 2: JobID is "x".'],
		["1|a|b|c|2026-03-01T08:00:00|x|x|-5||gres/gpu=1||COMPLETED", "line 2: ElapsedRaw is -5; it cannot be below 0."],
		["1|a|b|c|2026-03-01T08:00:00|x|x|60||gres/gpu=many||COMPLETED", "line 2: gres/gpu=many is no count of GPUs."],
		["1|a|b", "line 2: There are 3 fields, the header has 12."],
	])("rejects %s with its line", (row, message) => {
		expect(problem(sacct(row)).message).toContain(`t.csv, ${message}`);
	});
	it("explains how to record what is missing", () => {
		expect(problem("JobID|User\n").fix).toContain("sacct --allusers --parsable2 --format=");
	});
});

describe("a trace file", () => {
	const folder = mkdtempSync(path.join(os.tmpdir(), "spillway-trace-"));
	afterAll(() => rmSync(folder, { recursive: true }));
	const file = (name: string, content: string | Buffer): string => {
		writeFileSync(path.join(folder, name), content);
		return path.join(folder, name);
	};
	it("is decompressed if it is gzipped, whatever its name", async () => {
		const text = csv("a,0,1,1,,,,,,");
		const plain = await readTrace(file("plain.csv", text));
		expect(await readTrace(file("packed.csv", gzipSync(text)))).toEqual(plain);
		expect(plain).toHaveLength(1);
	});
	it.each([
		["is missing", () => path.join(folder, "none.csv"), "there is no such file"],
		["is a directory", () => folder, "it is a directory"],
		["is truncated", () => file("cut.gz", gzipSync(csv("a,0,1,1,,,,,,")).subarray(0, 30)), "cannot be unpacked"],
	])("reports that %s", async (_, make, message) => {
		await expect(readTraceFile(make())).rejects.toThrow(message);
	});
});

describe("any text at all", () => {
	const words = fc.constantFrom(
		"job_id",
		"submit_s",
		"gpus",
		"duration_s",
		"JobID",
		"State",
		"|",
		",",
		"\n",
		'"',
		"\r\n",
		"0",
		"-1",
		"1e9",
		"gres/gpu=1",
		"NaN",
		"\u0000",
		"é",
	);
	const soup = fc.array(fc.oneof(words, fc.string({ maxLength: 8 })), { maxLength: 60 }).map((parts) => parts.join(""));
	const rows = (header: string): fc.Arbitrary<string> => fc.array(soup, { maxLength: 8 }).map((lines) => [header, ...lines].join("\n"));
	it("yields a trace or a SpillwayError, and every job can be replayed", () => {
		fc.assert(
			fc.property(fc.oneof(soup, rows(HEADER), rows(SACCT), rows("job_id,submit_s,duration_s,gpus")), fc.boolean(), (text, lenient) => {
				try {
					for (const job of parseTrace(text, "t", { lenient }).jobs) {
						expect(Number.isSafeInteger(job.gpus) && job.gpus >= 1 && job.durationMs > 0 && job.submitMs >= 0).toBe(true);
						expect(job.team).not.toBe("");
					}
				} catch (error) {
					if (!(error instanceof SpillwayError)) throw error;
					expect(error.fix).toBeTruthy();
				}
			}),
			{ numRuns: cases(400, 2_000) },
		);
	});
	it("keeps every well-formed row", () => {
		const row = fc.record({
			submit: fc.nat(10_000_000),
			run: fc.integer({ min: 1, max: 1_000_000 }),
			gpus: fc.integer({ min: 1, max: 512 }),
		});
		fc.assert(
			fc.property(fc.array(row, { minLength: 1, maxLength: 50 }), (given) => {
				const text = csv(...given.map(({ submit, run, gpus }, i) => `j${i},${submit},${run},${gpus},,,,,,`));
				const { jobs } = parseTrace(text, "t");
				const back = new Map(jobs.map((job) => [job.id, { submit: job.submitMs / 1000, run: job.durationMs / 1000, gpus: job.gpus }]));
				expect(given.map((_, i) => back.get(`j${i}`))).toEqual(given);
				expect(jobs.every((job, i) => i === 0 || (jobs[i - 1]?.submitMs ?? 0) <= job.submitMs)).toBe(true);
			}),
		);
	});
});
