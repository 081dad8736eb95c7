import { describe, expect, it } from "vitest";
import { readCsv } from "#components/csv/read-csv.testing.ts";
import { machinesCsv, offersCsv, queueCsv, sitesCsv } from "./export-csv.ts";
import type { OfferLine } from "./offers.ts";

describe("capacity exports", () => {
	it("exports exact offer prices and marks unusable offers", () => {
		const offer = {
			...{ siteId: "aws", provider: "aws", region: "us-east-1", zone: "us-east-1a", instanceType: "p5.48xlarge", capacityType: "spot" },
			...{ accelerator: "H100-80GB", gpus: 8, microUsdPerHour: "21830000", microUsdPerGpuHour: "2728750", disk: null },
			...{ priceObservedAt: "2026-11-19T14:32:00.000Z", priceSource: "spot history", priceStale: false, backoffUntil: null },
			gridGramsPerKwh: 412,
		};
		const lines = [
			{ offer, zones: 3 },
			{ offer: { ...offer, microUsdPerHour: null, microUsdPerGpuHour: null, gridGramsPerKwh: null }, zones: 1 },
		] as OfferLine[];
		const [known, unknown] = readCsv(offersCsv(lines));
		expect(known).toMatchObject({
			"Hourly USD": "21.830000",
			"USD per GPU-hour": "2.728750",
			Zones: "3",
			Usable: "yes",
			"g CO2e per kWh": "412",
		});
		expect(unknown).toMatchObject({ "Hourly USD": "", Usable: "no", "g CO2e per kWh": "" });
	});

	it("exports each machine under matching headers", () => {
		const machine = {
			...{ id: "ins_1", providerInstanceId: "i-0c41", state: "ready", siteId: "aws", provider: "aws", region: "us-east-2", zone: null },
			...{
				instanceType: "p5.48xlarge",
				capacityType: "spot",
				accelerator: "H100-80GB",
				gpus: 8,
				jobId: "job_1",
				jobName: "clip",
				team: "vision",
			},
			...{
				rank: 0,
				launchedAt: null,
				fencedAt: "2026-11-20T12:00:00.000Z",
				expiresAt: "2026-11-24T12:00:00.000Z",
				microUsdPerHour: "23410000",
				costMicroUsd: "101440000",
			},
		};
		expect(readCsv(machinesCsv([machine] as Parameters<typeof machinesCsv>[0]))[0]).toMatchObject({
			...{ Machine: "ins_1", "Provider ID": "i-0c41", Zone: "", GPUs: "8", "Job name": "clip", Team: "vision", "Launched (UTC)": "" },
			"Disconnected since (UTC)": "2026-11-20T12:00:00.000Z",
			...{ "Expires (UTC)": "2026-11-24T12:00:00.000Z", "Hourly USD": "23.410000", "Cost so far USD": "101.440000" },
		});
	});

	it("exports what a machine without a job has prepared", () => {
		const prepared = [
			{ kind: "image", name: "acme/train:1", state: "ready", problem: null },
			{ kind: "data", name: "s3://acme/set", state: "failed", problem: "access denied" },
		];
		const machine = { id: "ins_1", gpus: 8, rank: 0, microUsdPerHour: "1000000", costMicroUsd: "0", prepared };
		expect(readCsv(machinesCsv([machine] as unknown as Parameters<typeof machinesCsv>[0]))[0]).toMatchObject({
			Machine: "ins_1",
			Prepared: "image acme/train:1: ready; data s3://acme/set: failed (access denied)",
		});
	});

	it("exports sites with pools or regions, health and reason", () => {
		const site = { enabled: true, healthy: true, healthMessage: null, lastSeenAt: null, lastOrphanAt: null, regions: [], pools: [] };
		const pool = { id: "h100", accelerator: "H100-80GB", nodes: 2, gpusPerNode: 8, gpus: 16, busy: 5, unavailable: 1, slots: [] };
		const failedRegions = [{ region: "us-west-2", message: "AccessDenied" }];
		const lastSweep = { atMs: Date.UTC(2026, 10, 19, 14), seen: 0, owned: 0, orphans: 0, regions: ["us-east-1"], failedRegions };
		const lines = readCsv(
			sitesCsv([
				{
					...{ ...site, id: "lab", name: "Lab", provider: "slurm", kind: "owned", gpusBusy: 5, gpusTotal: 16, instancesLive: 0 },
					...{ burnMicroUsdPerHour: "0", lastSweep: null, pools: [{ ...pool, microUsdPerGpuHour: "630000" }] },
				},
				{
					...{ ...site, id: "aws", name: "AWS", provider: "aws", kind: "cloud", gpusBusy: 8, gpusTotal: null, instancesLive: 1 },
					...{ burnMicroUsdPerHour: "21830000", lastSweep, regions: ["us-east-1", "us-west-2", "eu-west-1"] },
				},
			] as Parameters<typeof sitesCsv>[0]),
		);
		expect(lines.map((l) => [l.Type, l.Name, l["GPUs in use"], l.GPUs, l["Hourly USD (pool: per GPU)"], l.Reachable, l["Reason"]])).toEqual(
			[
				["site", "Lab", "5", "16", "0.000000", "yes", ""],
				["pool", "h100", "5", "16", "0.630000", "", ""],
				["site", "AWS", "8", "", "21.830000", "yes", ""],
				["region", "us-east-1", "", "", "", "yes", ""],
				["region", "eu-west-1", "", "", "", "unknown", ""],
				["region", "us-west-2", "", "", "", "no", "AccessDenied"],
			],
		);
	});

	it("exports a cluster's queue with position, reason and adoption status", () => {
		const job = {
			...{ id: "41", name: "=train", user: "alice", partition: "gpu", poolId: "gpu-h100x8", state: "running", waitingReason: null },
			...{ nodes: 2, gpus: 16, position: null, submittedAt: "2026-11-22T08:00:00.000Z", startedAt: "2026-11-22T08:01:00.000Z" },
			...{ timeLimitMs: 5_400_000, dependsOn: null, optedIn: false, adoption: null, notAdopted: [] },
		};
		const waits = {
			state: "held",
			waitingReason: "JobHeldAdmin",
			position: 0,
			startedAt: null,
			timeLimitMs: null,
			dependsOn: "afterok:41",
		};
		const adoption = { id: "adp_1", state: "held", jobId: "job_9", why: null, problem: null };
		const jobs = [
			job,
			{ ...job, ...waits, id: "42", optedIn: true, adoption },
			{ ...job, ...waits, id: "43", state: "waiting", position: 1, notAdopted: ["It uses modules.", "It is an array."] },
		];
		const [runs, adopted, stays] = readCsv(queueCsv("home", jobs as Parameters<typeof queueCsv>[1]));
		expect(runs).toMatchObject({
			...{ Site: "home", Job: "41", Name: "'=train", Owner: "alice", Pool: "gpu-h100x8", GPUs: "16", State: "running" },
			...{ "Queue position": "", "Started (UTC)": "2026-11-22T08:01:00.000Z", "Time limit (min)": "90", "Opted in": "no" },
		});
		expect(adopted).toMatchObject({
			...{
				State: "held",
				Reason: "JobHeldAdmin",
				"Queue position": "1",
				Dependencies: "afterok:41",
				"Time limit (min)": "",
			},
			...{ "Opted in": "yes", Adoption: "held", "Adopted as": "job_9", "Reason not adopted": "" },
		});
		expect(stays).toMatchObject({ "Queue position": "2", Adoption: "", "Reason not adopted": "It uses modules. It is an array." });
	});
});
