import { describe, expect, it } from "vitest";
import { assess, profileHistory } from "./assess.ts";
import { type History, readHistory } from "./history/read-history.ts";
import { demandProfile, gpusFor, hoursOf } from "./profile/demand.ts";
import { HourSeries } from "./profile/hour-series.ts";
import { encodeFilters, findProfile } from "./profile/stored-filters.ts";
import { renderAssessment } from "./render/assessment.ts";

const HEADER = "job_id,submit_s,duration_s,gpus,user,group,status,wait_s";
const H = 3600;

async function* inPieces(text: string, size: number): AsyncGenerator<Uint8Array> {
	const bytes = new TextEncoder().encode(text);
	for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function read(rows: readonly string[], size = 7): Promise<History> {
	return readHistory(inPieces(`${[HEADER, ...rows].join("\n")}\n`, size), "t.csv");
}

describe("reading a history", () => {
	it("counts bad rows with their line numbers, and reads the others", async () => {
		const history = await read(["a,0,3600,2,ann,risk,ok,60", "b,oops,1,1,,,,", "c,5,10,1,bob,risk,ok,", "a,9,1,1,,,,"]);
		expect(history.jobs.length).toBe(2);
		expect(history.badRows.count).toBe(2);
		expect(history.badRows.first.map(({ line, column }) => [line, column])).toEqual([
			[3, "submit_s"],
			[5, "job_id"],
		]);
	});
	it("yields the same jobs however the bytes are split", async () => {
		const rows = ["é1,0,3600,2,ann,risk,ok,60", "b,5,10,1,bob,küche,ok,"];
		const [small, large] = [await read(rows, 1), await read(rows, 1000)];
		expect(small.jobs.teams.list).toEqual(["risk", "küche"]);
		expect(assess(small, { source: "t", gpus: 4 })).toEqual(assess(large, { source: "t", gpus: 4 }));
	});
	it("reads weekdays and waits from sacct", async () => {
		const text =
			"JobID|User|Account|Submit|Start|ElapsedRaw|AllocTRES|State\n1|ann|risk|2026-03-04T10:00:00|2026-03-04T10:05:00|60|gres/gpu=2|COMPLETED\n1.batch|||2026-03-04T10:05:00||60|gres/gpu=2|COMPLETED\n";
		const history = await readHistory(inPieces(text, 50), "s.txt");
		expect([history.format, history.isStartKnown, history.startMs]).toEqual(["sacct", true, Date.UTC(2026, 2, 4, 10)]);
		expect(history.jobs.waitMs[0]).toBe(300_000);
	});
	it("reads the jobs of Slurm's REST API in pieces, and counts a job that is cut off", async () => {
		const at = Date.UTC(2026, 2, 4, 10) / 1000;
		const job = (id: number) => ({
			...{ job_id: id, account: "risk", user: "ann", state: { current: ["COMPLETED"] } },
			time: { elapsed: 60, submission: at, start: at + 300, end: at + 360, limit: 10 },
			tres: { allocated: [{ type: "gres", name: "gpu", count: 2 }] },
		});
		const text = ` {"meta": {},\n"jobs": [\n${JSON.stringify(job(1))},\n${JSON.stringify(job(2)).slice(0, 50)}`;
		const history = await readHistory(inPieces(text, 3), "jobs.json");
		expect([history.format, history.isStartKnown, history.startMs]).toEqual(["json", true, at * 1000]);
		expect([history.jobs.length, history.jobs.waitMs[0], history.badRows.first[0]?.line]).toEqual([1, 300_000, 4]);
	});
	it("rejects a file without a job, and explains why", async () => {
		await expect(read(["a,0,x,1,,,,"])).rejects.toMatchObject({ code: "invalid_input", message: expect.stringContaining("Line 2") });
	});
});

describe("the profile", () => {
	it("spreads GPU time over hours exactly", () => {
		const series = new HourSeries();
		series.add(0.5 * 3_600_000, 3.25 * 3_600_000, 4);
		series.add(1 * 3_600_000, 2 * 3_600_000, 1);
		expect([...series.finish()]).toEqual([2, 5, 4, 1]);
	});
	it("finds the fewest GPUs that carry a share of the work", () => {
		const sorted = Float64Array.from([2, 4, 10]);
		// Below 6 GPUs there are 2 + 4 + 6 of 16 GPU-hours.
		expect(gpusFor(sorted, 12 / 16)).toBe(6);
		expect(gpusFor(sorted, 1)).toBe(10);
	});
	it("compares demand with the capacity", async () => {
		const { jobs, startMs } = await read([`a,0,${2 * H},8,,,,`, `b,${H},${H},8,,,,`]);
		const profile = demandProfile(hoursOf(jobs, startMs, null), 10);
		expect([profile.peakGpus, profile.meanGpus, profile.overflowGpuHours, profile.carriedShare]).toEqual([16, 12, 6, 0.75]);
	});
	it("reports waits by size, idle by cause, lost work and jobs that never fit", async () => {
		const history = await read([
			`a,0,${H},4,ann,risk,ok,0`,
			`b,0,${H},4,bob,risk,FAILED,${H}`,
			`c,0,${H},16,bob,risk,ok,`,
			`d,${2 * H},${H},1,bob,risk,ok,0`,
		]);
		const report = assess(history, { source: "t", gpus: 8 });
		expect(report.waits.basis).toBe("recorded");
		expect(report.waits.bySize.map(({ name, jobs, meanS }) => [name, jobs, meanS])).toEqual([
			["1 GPU", 1, 0],
			["2 to 4 GPUs", 2, 1800],
		]);
		expect(report.idle).toEqual({
			...{ capacityGpuHours: 24, usedGpuHours: 9, utilisation: 0.375 },
			...{ blockedGpuHours: 4, noDemandGpuHours: 11, overCapacityGpuHours: 0 },
		});
		expect(report.lostWork).toEqual({ gpuHours: 4, share: 0.16, byStatus: [{ status: "FAILED", jobs: 1, gpuHours: 4 }] });
		expect(report.neverFit).toEqual({ jobs: 1, gpuHours: 16, largestGpus: 16 });
	});
	it("simulates waits when none are recorded", async () => {
		const history = await read([`a,0,${H},8,,,,`, `b,0,${H},8,,,,`]);
		const { waits } = assess(history, { source: "t", gpus: 8 });
		expect([waits.basis, waits.all?.p95S]).toEqual(["simulated", H]);
	});
	it("uses the peak of concurrent GPUs as the capacity", async () => {
		const history = await read([`a,0,${H},8,,,,0`, `b,0,${H},8,,,,${H}`, `c,60,${H},2,,,,0`]);
		expect(assess(history, { source: "t" }).capacity).toEqual({ gpus: 10, basis: "recorded_peak" });
	});
});

describe("a selection", () => {
	// A soft deadline makes a job of a trace one of class baseline.
	const HEADER_CLASS = `${HEADER},deadline_s,deadline_kind,gpu_type`;
	const rows = [
		`a,0,${H},8,ann,risk,ok,,,,A100-80GB`,
		`b,0,${H},8,bob,vision,FAILED,,,,H100-80GB`,
		`c,0,${H},4,bob,vision,ok,,${9 * H},soft,A100-80GB`,
		`d,${4 * H},${H},16,ann,risk,ok,,,,`,
	];
	const history = () => readHistory(inPieces(`${[HEADER_CLASS, ...rows].join("\n")}\n`, 9), "t.csv");

	it("profiles its jobs, with waits among all jobs, next to the whole history's capacity and idle time", async () => {
		const all = assess(await history(), { source: "t", gpus: 8 });
		const vision = assess(await history(), { source: "t", gpus: 8, filter: { team: "vision" } });
		expect(vision.selection).toEqual({ team: "vision", class: null, gpu: null, jobs: 2, gpuHours: 12 });
		expect(vision.demand).toMatchObject({ peakGpus: 12, meanGpus: 2.4, overflowGpuHours: 4 });
		expect(vision.demand.days).toHaveLength(all.demand.days.length);
		// Job b waits for job a of the other team, and c for b: alone they would start at once, and an hour later.
		expect(all.waits.byTeam.find(({ name }) => name === "vision")).toEqual({ name: "vision", ...vision.waits.all });
		expect(vision.waits.all).toMatchObject({ jobs: 2, meanS: 1.5 * H });
		expect(vision.lostWork).toMatchObject({ gpuHours: 8, share: 0.6667 });
		expect([all.neverFit.jobs, vision.neverFit.jobs]).toEqual([1, 0]);
		expect(vision.candidates).toEqual(all.candidates.filter(({ team }) => team === "vision"));
		expect([vision.history, vision.capacity, vision.idle, vision.commitments]).toEqual([
			all.history,
			all.capacity,
			all.idle,
			all.commitments,
		]);
	});
	it("selects by GPU model", async () => {
		const report = assess(await history(), { source: "t", gpus: 8, filter: { gpuModel: "A100-80GB" } });
		expect(report.selection).toEqual({ team: null, class: null, gpu: "A100-80GB", jobs: 2, gpuHours: 12 });
		expect(renderAssessment(report)).toContain("Selection GPU A100-80GB: 2 jobs, 12 GPU-hours");
		const rejected = history().then((read) => assess(read, { source: "t", filter: { gpuModel: "V100" } }));
		await expect(rejected).rejects.toMatchObject({ fix: 'Use one of: "A100-80GB", "H100-80GB", "(not recorded)".' });
	});
	it("combines team and class", async () => {
		const report = assess(await history(), { source: "t", gpus: 8, filter: { team: "vision", workloadClass: "baseline" } });
		expect(report.selection).toEqual({ team: "vision", class: "baseline", gpu: null, jobs: 1, gpuHours: 4 });
		expect(renderAssessment(report)).toContain("Selection team vision, class baseline: 1 jobs, 4 GPU-hours");
	});
	it("rejects a team or class that the history does not have, and lists those that it has", async () => {
		const report = history().then((read) => assess(read, { source: "t", filter: { team: "nope" } }));
		await expect(report).rejects.toMatchObject({ code: "invalid_input", fix: 'Use one of: "risk", "vision".' });
	});
	it("hides the team's name when asked", async () => {
		const report = assess(await history(), { source: "t", gpus: 8, isRedacted: true, filter: { team: "vision" } });
		expect(report.selection?.team).toBe("team 2");
		expect(JSON.stringify(report)).not.toContain("vision");
	});
	it.each([
		{},
		{ team: "vision" },
		{ team: "risk" },
		{ workloadClass: "burst" },
		{ gpuModel: "A100-80GB" },
		{ team: "vision", workloadClass: "baseline" },
		{ team: "vision", gpuModel: "H100-80GB" },
	])("has the demand, waits and candidates that the page's filter shows: %o", async (filter) => {
		const { assessment, filters } = profileHistory(await history(), { source: "t", gpus: 8, filter });
		const bytes = encodeFilters(filters(), 8);
		const found = await findProfile(async (at, length) => bytes.subarray(at, at + length), filter);
		const { basis: _, ...waits } = assessment.waits;
		const { demand, candidates, candidatesLeftOut } = assessment;
		const jobs = assessment.selection?.jobs ?? assessment.history.jobs;
		expect(found?.profile).toEqual({ jobs, demand, waits, candidates, candidatesLeftOut });
	});
});

describe("burst candidates", () => {
	const rows = [`a,0,${H},4,ann,risk,ok,${5 * H}`, `b,0,${H},4,ann,risk,ok,${5 * H}`, `c,0,${20 * H},4,bob,vision,ok,0`];
	it("ranks a family that waits above one that starts immediately, with reasons", async () => {
		const { candidates } = assess(await read(rows), { source: "t", gpus: 8 });
		expect(candidates.map(({ label }) => label)).toEqual(["ann", "bob"]);
		expect(candidates[0]?.reasons.map(({ code }) => code)).toContain("waits_long");
		expect(candidates[1]?.reasons.map(({ code }) => code)).toContain("long_runs");
		expect((candidates[0]?.spotUsd ?? 0) > 0 && (candidates[0]?.spotUsd ?? 0) < (candidates[0]?.onDemandUsd ?? 0)).toBe(true);
	});
	it("hides names when asked", async () => {
		const text = JSON.stringify(assess(await read(rows), { source: "t", gpus: 8, isRedacted: true }));
		for (const name of ["ann", "bob", "risk", "vision"]) expect(text).not.toContain(`"${name}`);
	});
	it("never proposes sensitive work", async () => {
		const history = await read(rows);
		for (const family of history.jobs.families) family.isSensitive = true;
		expect(assess(history, { source: "t", gpus: 8 }).candidates.every(({ score }) => score === 0)).toBe(true);
	});
});
