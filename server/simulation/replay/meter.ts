import { diskCostUntil, diskTermsOf } from "#server/accounting/disk.ts";
import type { Offer } from "#server/domain/capacity.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { monthOf, rentOf } from "./billing.ts";
import { makeGridOver } from "./emissions.ts";
import type { ReplayJob } from "./job.ts";
import { type KeptMachine, stoppedMicroUsdPerMonth } from "./kept-machine.ts";
import { isAllowedIn, type ReplayData } from "./replay-data.ts";
import type { Run, RunEnd } from "./run.ts";
import type { JobReport, ReplayReport, ReplayScenario } from "./types.ts";

/** Measurements of an attempt that is over. */
export interface MeasuredRun {
	run: Run;
	why: RunEnd;
	endMs: number;
	/** Work it contributed to the job, ms on the recorded accelerator. */
	gainedMs: number;
	/** Cost of its instances: compute, disks and egress. */
	costMicroUsd: bigint;
	/** The same by calendar month (billing.ts, monthOf). */
	costByMonth: readonly (readonly [month: number, microUsd: bigint])[];
	/** Null if power or grid intensity is unknown. */
	emissionsGrams: number | null;
	/** Data that left a cloud. */
	egressGiB: number;
}

type CapacityReport = Omit<
	ReplayReport,
	keyof JobReport | "strategy" | "overshootUsd" | "decisions" | "decisionsPerSecond" | "replaySeconds"
>;

/** Accumulates a report's figures, attempt by attempt. */
export class Meter {
	readonly #scenario: ReplayScenario;
	readonly #data: ReplayData;
	readonly #gridOver: ReturnType<typeof makeGridOver>;
	readonly #gpuHours: Record<string, number> = {};
	readonly #counts = new Map<RunEnd, number>();
	#throttled = 0;
	#computeMicroUsd = 0n;
	#egressMicroUsd = 0n;
	#storageMicroUsd = 0n;
	/** Rent and disks of machines without a job. */
	#keptMicroUsd = 0n;
	#egressGiB = 0;
	#grams = 0;
	/** Emissions of the attempt being measured; null if unknown. */
	#lastGrams: number | null = 0;
	#knownGpuMs = 0;
	#unknownGpuMs = 0;
	#homeGpuMs = 0;
	#lostGpuMs = 0;
	#lastEndMs: number;
	/** Cloud money by calendar month (billing.ts, monthOf), compute and egress. */
	readonly spentByMonth = new Map<number, bigint>();

	constructor(scenario: ReplayScenario, data: ReplayData) {
		this.#scenario = scenario;
		this.#data = data;
		this.#gridOver = makeGridOver(scenario);
		this.#lastEndMs = scenario.startMs;
	}

	measure(run: Run, why: RunEnd, endMs: number, gainedMs: number): MeasuredRun {
		if (run.throttled) this.#throttled++;
		else this.#counts.set(why, (this.#counts.get(why) ?? 0) + 1);
		if (why === "refused") return { run, why, endMs, gainedMs: 0, costMicroUsd: 0n, costByMonth: [], emissionsGrams: 0, egressGiB: 0 };
		const egressBefore = this.#egressGiB;
		const heldMs = endMs - run.placedAtMs;
		this.#lastEndMs = Math.max(this.#lastEndMs, endMs);
		this.#lostGpuMs += (heldMs - gainedMs / run.speed) * run.job.gpus;
		const costByMonth: [number, bigint][] = [];
		const costMicroUsd = run.offer === null ? 0n : this.#charge(run, why, endMs, costByMonth);
		if (run.home) this.#home(run, heldMs, endMs);
		return {
			run,
			why,
			endMs,
			gainedMs,
			costMicroUsd,
			costByMonth,
			emissionsGrams: this.#lastGrams,
			egressGiB: this.#egressGiB - egressBefore,
		};
	}

	#home(run: Run, heldMs: number, endMs: number): void {
		const pool = run.home?.nodes.pool;
		if (!pool) return;
		this.#homeGpuMs += heldMs * run.job.gpus;
		const grid = this.#gridOver(pool.id, pool.gridGramsPerKwh, run.placedAtMs, endMs);
		this.#emit({ gpuMs: heldMs * run.job.gpus, watts: pool.wattsPerGpu * run.job.gpus, pue: pool.pue, grid });
	}

	/** `grid`: hours × g/kWh. Unknown values are counted as GPU time without a figure, never as zero. */
	#emit({ gpuMs, watts, pue, grid }: { gpuMs: number; watts: number | null; pue: number | null; grid: number | null }): void {
		if (watts === null || pue === null || grid === null) {
			this.#unknownGpuMs += gpuMs;
			this.#lastGrams = null;
		} else {
			this.#knownGpuMs += gpuMs;
			this.#lastGrams = (watts / 1000) * pue * grid;
			this.#grams += this.#lastGrams;
		}
	}

	#charge(run: Run, why: RunEnd, endMs: number, byMonth: [number, bigint][]): bigint {
		const { offer } = run;
		if (offer === null) return 0n;
		const add = (month: number, microUsd: bigint): void => {
			byMonth.push([month, microUsd]);
			this.spentByMonth.set(month, (this.spentByMonth.get(month) ?? 0n) + microUsd);
		};
		const rent = rentOf(
			this.#scenario,
			{ offer, instances: run.instances, fromMs: run.placedAtMs, toMs: endMs, continues: run.continues },
			add,
		);
		const recorded = run.job.recorded;
		const disk = disksOf(offer, run.instances, run.placedAtMs, endMs);
		if (disk > 0n) add(monthOf(endMs), disk);
		const outGiB = why !== "finished" ? 0 : (recorded?.dataOutGiB ?? this.#scenario.dataOutGiB);
		// Data copied in by the end is paid for, whether or not the job started.
		const staged = run.stagedShare(endMs);
		const inMicroUsd = BigInt(Math.ceil(run.staging.egressMicroUsd * staged));
		// Recorded amounts are charged to the byte, as in the ledger; assumed amounts in whole GiB.
		const outMicroUsd = recorded
			? BigInt(Math.ceil(Number(offer.egressMicroUsdPerGiB) * outGiB))
			: offer.egressMicroUsdPerGiB * BigInt(Math.ceil(outGiB));
		const { gib = 0, microUsdPerGiBMoved = 0n } = (run.movesCheckpoint && this.#scenario.checkpoints) || {};
		const movedMicroUsd = BigInt(Math.ceil(Number(microUsdPerGiBMoved) * gib));
		const egress = outMicroUsd + inMicroUsd + movedMicroUsd;
		if (egress > 0n) add(monthOf(endMs), egress);
		this.#computeMicroUsd += rent;
		this.#storageMicroUsd += disk;
		this.#egressMicroUsd += egress;
		this.#egressGiB += gib + outGiB + run.staging.egressGiB * staged;
		this.#use(offer, offer.gpus * run.instances, run.placedAtMs, endMs);
		return rent + egress + disk;
	}

	/** Counts GPU-hours and emissions of rented GPUs. */
	#use(offer: Offer, gpus: number, fromMs: number, toMs: number): void {
		const heldMs = toMs - fromMs;
		this.#gpuHours[offer.capacityType] = (this.#gpuHours[offer.capacityType] ?? 0) + (gpus * heldMs) / HOUR_MS;
		const perGpu = this.#scenario.boardWatts[offer.accelerator];
		const grid = this.#gridOver(`${offer.provider}:${offer.region}`, offer.gridGramsPerKwh, fromMs, toMs);
		this.#emit({ gpuMs: gpus * heldMs, watts: perGpu === undefined ? null : perGpu * gpus, pue: offer.pue, grid });
	}

	/** Cost of a machine without a job until now. It is part of the cloud cost, and not of any job or budget. */
	measureKept(machine: KeptMachine, nowMs: number): bigint {
		const { offer, sinceMs, stopped, hasRun } = machine;
		const rentedToMs = machine.rentedUntil(nowMs);
		const rented = { offer, instances: 1, fromMs: sinceMs, toMs: rentedToMs, continues: hasRun };
		const rent = rentedToMs > sinceMs ? rentOf(this.#scenario, rented, () => {}) : 0n;
		const disk = stopped ? stoppedDiskOf(offer, sinceMs, nowMs) : disksOf(offer, 1, sinceMs, nowMs);
		this.#computeMicroUsd += rent;
		this.#storageMicroUsd += disk;
		this.#keptMicroUsd += rent + disk;
		this.#lostGpuMs += (rentedToMs - sinceMs) * offer.gpus;
		this.#lastEndMs = Math.max(this.#lastEndMs, nowMs);
		this.#use(offer, offer.gpus, sinceMs, rentedToMs);
		return rent + disk;
	}

	/** Capacity, money and emissions. `firstMs`: the first submission, UTC ms. */
	report(firstMs: number): CapacityReport {
		const ownedGpus = this.#scenario.pools.reduce((sum, pool) => sum + pool.nodes * pool.gpusPerNode, 0);
		const spanMs = this.#lastEndMs - Math.min(firstMs, this.#lastEndMs);
		const cloudGpuHours = Object.values(this.#gpuHours).reduce((sum, hours) => sum + hours, 0);
		const cloudMicroUsd = this.#computeMicroUsd + this.#egressMicroUsd + this.#storageMicroUsd;
		return {
			ownedUtilisation: ownedGpus === 0 || spanMs <= 0 ? 0 : round3(this.#homeGpuMs / (ownedGpus * spanMs)),
			cloudGpuHours: round3(cloudGpuHours),
			cloudGpuHoursByCapacityType: Object.fromEntries(
				Object.entries(this.#gpuHours)
					.sort()
					.map(([type, hours]) => [type, round3(hours)]),
			),
			cloudCostUsd: usd(cloudMicroUsd),
			cloudCostMicroUsd: String(cloudMicroUsd),
			costByKindUsd: {
				...{ compute: usd(this.#computeMicroUsd), egress: usd(this.#egressMicroUsd) },
				// Scenarios have no disks. A site's offers do, if the disk price is known.
				...(this.#storageMicroUsd > 0n && { storage: usd(this.#storageMicroUsd) }),
			},
			...(this.#keptMicroUsd > 0n && { keptWarmUsd: usd(this.#keptMicroUsd) }),
			egressGiB: round3(this.#egressGiB),
			emissionsKg: this.#knownGpuMs === 0 && this.#unknownGpuMs > 0 ? null : round3(this.#grams / 1000),
			emissionsUnknownGpuHours: round3(this.#unknownGpuMs / HOUR_MS),
			interruptions: this.#counts.get("interrupted") ?? 0,
			moves: this.#counts.get("moved") ?? 0,
			evictions: this.#counts.get("evicted") ?? 0,
			refusals: this.#counts.get("refused") ?? 0,
			...(this.#scenario.requestsPerMinute !== undefined && { throttled: this.#throttled }),
			lostGpuHours: round3(this.#lostGpuMs / HOUR_MS),
		};
	}

	/** Time from its submission to its end on a dedicated machine, at home or in the cloud after boot and staging. */
	leastMs(job: ReplayJob): number {
		const { pools, bootMs, offers } = this.#scenario;
		const able = pools.filter((pool) => job.accelerators.length === 0 || job.accelerators.includes(pool.accelerator));
		const home = able
			.filter((pool) => job.nodes <= pool.nodes && job.gpusPerNode <= pool.gpusPerNode)
			.reduce((least, pool) => Math.min(least, job.workMs / pool.speed), Number.POSITIVE_INFINITY);
		const cloud = offers
			.filter((offer) => offer.gpus >= job.gpusPerNode && isAllowedIn(job.data, offer))
			.filter((offer) => job.accelerators.length === 0 || job.accelerators.includes(offer.accelerator))
			.reduce((least, offer) => Math.min(least, bootMs + this.#data.staging(job.data, offer).ms + job.workMs), Number.POSITIVE_INFINITY);
		return Math.min(home, cloud);
	}
}

function usd(microUsd: bigint): number {
	return round3(Number(microUsd) / 1e6);
}

export function round3(value: number): number {
	return Math.round(value * 1000) / 1000;
}

function disksOf({ disk, provider }: Offer, instances: number, fromMs: number, toMs: number): bigint {
	const microUsdPerMonth = disk?.microUsdPerMonth ?? null;
	if (microUsdPerMonth === null) return 0n;
	return BigInt(instances) * diskCostUntil({ microUsdPerMonth, terms: diskTermsOf(provider) }, fromMs, toMs - fromMs);
}

function stoppedDiskOf(offer: Offer, fromMs: number, toMs: number): bigint {
	return diskCostUntil({ microUsdPerMonth: stoppedMicroUsdPerMonth(offer), terms: diskTermsOf(offer.provider) }, fromMs, toMs - fromMs);
}
