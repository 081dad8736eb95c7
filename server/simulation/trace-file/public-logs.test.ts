import { describe, expect, it } from "vitest";
import { readHistory } from "#server/plan/history/read-history.ts";
import { parseTrace } from "./read-trace.ts";

const HELIOS = `job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue
1,uA,vcX,1,1,1,COMPLETED,2020-06-09 18:41:01,2020-06-09 18:41:31,2020-06-10 04:55:39,36848,30
2,uB,vcY,16,64,2,FAILED,2020-06-09 18:41:27,2020-06-09 18:41:27,2020-06-09 18:45:36,249,0
3,uB,vcY,0,4,1,COMPLETED,2020-06-09 18:41:28,2020-06-09 18:41:28,2020-06-09 18:45:36,248,0
`;
const ACME = `job_id,user,node_num,gpu_num,cpu_num,type,state,submit_time,start_time,end_time,duration,queue,gpu_time
7,u1,1,8,128,Pretrain,CANCELLED,2023-03-01 00:18:22+08:00,2023-03-01 00:18:54+08:00,2023-03-01 00:20:51+08:00,117,32,936.0
`;
const PODS = `name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
pod-1,88000,327680,8,1000,,Burstable,Succeeded,9437497,10769854,9437499
pod-2,4000,15258,1,220,V100M16|V100M32,BE,Running,9679175,9973826,9679175
pod-3,4000,15258,0,0,,BE,Running,9679175,9973826,9679175
pod-4,4000,15258,1,1000,,BE,Pending,9679175,9973826,
`;

async function* bytes(text: string): AsyncGenerator<Uint8Array> {
	yield new TextEncoder().encode(text);
}

describe("public traces as downloaded", () => {
	it("reads a cluster log with its dates and waits", () => {
		const { jobs, format, recordedStartMs, notes } = parseTrace(HELIOS, "cluster_log.csv");
		expect([format, recordedStartMs, notes.withoutGpus]).toEqual(["log", Date.UTC(2020, 5, 9, 18, 41, 1), 1]);
		expect(jobs.map(({ submitMs, durationMs, gpus, team, waitMs }) => [submitMs, durationMs, gpus, team, waitMs])).toEqual([
			[0, 36_848_000, 1, "vcX", 30_000],
			[26_000, 249_000, 16, "vcY", 0],
		]);
	});
	it("reads zones, and uses the type of work where there are no queues", () => {
		const { jobs, recordedStartMs } = parseTrace(ACME, "trace_seren.csv");
		expect([recordedStartMs, jobs[0]?.team]).toEqual([Date.UTC(2023, 1, 28, 16, 18, 22), "Pretrain"]);
	});
	it("reads a list of pods, with fractions of a GPU and alternatives", () => {
		const { jobs, notes, recordedStartMs } = parseTrace(PODS, "openb_pod_list_default.csv");
		expect(recordedStartMs).toBeNull();
		expect([notes.withoutGpus, notes.neverStarted, notes.fractionsRoundedUp]).toEqual([1, 1, 1]);
		expect(jobs.map(({ gpus, durationMs, waitMs, accelerators }) => [gpus, durationMs, waitMs, accelerators])).toEqual([
			[8, 1_332_355_000, 2_000, []],
			[1, 294_651_000, 0, ["V100-16GB", "V100-32GB"]],
		]);
	});
	it("yields the same history row by row", async () => {
		const history = await readHistory(bytes(HELIOS), "cluster_log.csv");
		expect([history.format, history.isStartKnown, history.startMs, history.jobs.length]).toEqual([
			...["log", true],
			Date.UTC(2020, 5, 9, 18, 41, 1),
			2,
		]);
	});
});
