import type { Placement } from "#server/domain/capacity.ts";
import type { Charge, ChargeKind } from "#server/domain/charge.ts";
import type { Candidate, Explanation } from "#server/domain/decision.ts";
import type { HomeElectricity } from "#server/domain/home-electricity.ts";
import type { AttemptState } from "#server/domain/states.ts";
import { mulDivFloor } from "#server/kernel/money.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { type Amounts, addScaled, NO_AMOUNTS } from "./amounts.ts";
import { type CarbonIntensity, softwareCarbonIntensity } from "./carbon-intensity.ts";
import type { KeptStorage } from "./storage-cost.ts";

/** What a job cost, line by line, and what it would have cost elsewhere. */
export interface Receipt {
	jobId: string;
	attempts: ReceiptAttempt[];
	totals: ReceiptTotals;
	/** Electricity prices of its time at home; null without such time, and if no rate card applied. */
	electricity: HomeElectricity | null;
	/** Software Carbon Intensity (ISO/IEC 21031) of all attempts: per GPU-hour, and for the job. */
	carbon: CarbonIntensity;
	/** Storage and egress of the job's results, which belong to no attempt. */
	results: ReceiptLine[];
	/** Future cost of the job's kept results; null if none is kept. */
	kept: KeptStorage | null;
	alternatives: ReceiptAlternative[];
}

export interface ReceiptAttempt {
	attemptId: string;
	number: number;
	state: AttemptState;
	placement: Placement;
	lines: ReceiptLine[];
	totals: ReceiptTotals;
}

/** All charges of one kind for one machine, allocation or result. */
export interface ReceiptLine {
	kind: ChargeKind;
	/** The instance, allocation or result. */
	causeId: string;
	fromMs: number;
	toMs: number;
	/** `metered`: still running or not settled, so the line may grow. `posted`: final. */
	status: "metered" | "posted";
	gpuMs: bigint;
	costMicroUsd: bigint;
	/** At list price: on-demand for a spot machine. */
	listMicroUsd: bigint;
	energyMilliWh: bigint;
	emissionsMilligrams: bigint | null;
}

export interface ReceiptTotals {
	gpuMs: bigint;
	costMicroUsd: bigint;
	listMicroUsd: bigint;
	energyMilliWh: bigint;
	/** Parts of energyMilliWh: measured, and computed with hourly grid intensity. */
	measuredEnergyMilliWh: bigint;
	hourlyGridMilliWh: bigint;
	/** Operational, location-based; null when any part's emissions are unknown. */
	emissionsMilligrams: bigint | null;
	/** Operational, market-based (power contracts); null when any part's contract is unknown. */
	marketEmissionsMilligrams: bigint | null;
	/** Manufacturing emissions of the machines; null when any part's are unknown. */
	embodiedMilligrams: bigint | null;
}

/** An alternative for the job, from the candidates of its decision. */
export interface ReceiptAlternative {
	way: "at_home" | "on_demand" | "spot";
	placement: Placement;
	/** Always an estimate: the job's actual machine time at this candidate's price at decision time, plus disks and egress. */
	estimate: "same_machine_time_at_price_when_decided";
	costMicroUsd: bigint;
	/**
	 * The part for disks, at the most expensive month's hourly price; null at home, where the cost includes everything,
	 * and when the price was unknown.
	 */
	storageMicroUsd: bigint | null;
	/** New spend; at home the hardware is already paid for. */
	cashMicroUsd: bigint;
	/** Forecast start there, UTC ms. */
	startP50Ms: number;
	decidedAtMs: number;
	/** Why it was excluded; null if it was eligible. */
	removedBy: Candidate["removedBy"];
}

export interface ReceiptInput {
	jobId: string;
	/** Number of machines that ran together, if it ran on instances. */
	nodes: number;
	attempts: readonly { id: string; number: number; state: AttemptState; placement: Placement }[];
	charges: readonly Charge[];
	/** Instances, allocations and results with final charges. */
	settledCauseIds: ReadonlySet<string>;
	electricity: HomeElectricity | null;
	kept: KeptStorage | null;
	/** The job's first decision that placed it; null if it was never placed. */
	decision: Explanation | null;
}

export function receiptOf(input: ReceiptInput): Receipt {
	const attempts = [...input.attempts]
		.sort((a, b) => a.number - b.number)
		.map((attempt): ReceiptAttempt => {
			const charges = input.charges.filter((c) => c.attemptId === attempt.id);
			return {
				attemptId: attempt.id,
				number: attempt.number,
				state: attempt.state,
				placement: attempt.placement,
				lines: linesOf(charges, input.settledCauseIds),
				totals: totalsOf(charges),
			};
		});
	const totals = totalsOf(input.charges);
	return {
		jobId: input.jobId,
		attempts,
		totals,
		electricity: input.electricity,
		carbon: softwareCarbonIntensity(totals),
		results: linesOf(
			input.charges.filter(({ artifactId }) => artifactId !== null),
			input.settledCauseIds,
		),
		kept: input.kept,
		alternatives: alternativesOf(input.decision, machineMs(input)),
	};
}

function linesOf(charges: readonly Charge[], settled: ReadonlySet<string>): ReceiptLine[] {
	const groups = Map.groupBy(charges, (c) => `${causeIdOf(c)}/${c.dimensions.kind}`);
	return [...groups.values()].flatMap((group) => {
		const first = group[0];
		const causeId = first && causeIdOf(first);
		if (!first || !causeId) return [];
		return [
			{
				kind: first.dimensions.kind,
				causeId,
				fromMs: Math.min(...group.map((c) => c.periodStartMs)),
				toMs: Math.max(...group.map((c) => c.periodEndMs)),
				status: settled.has(causeId) ? "posted" : "metered",
				...totalsOf(group),
			} satisfies ReceiptLine,
		];
	});
}

function causeIdOf(c: Charge): string | null {
	return c.instanceId ?? c.allocationId ?? c.poolId ?? c.artifactId;
}

function totalsOf(charges: readonly Amounts[]): ReceiptTotals {
	const sum = charges.reduce((total, charge) => addScaled(total, charge, 1n), NO_AMOUNTS);
	return {
		gpuMs: sum.gpuMs,
		costMicroUsd: sum.effectiveMicroUsd,
		listMicroUsd: sum.listMicroUsd,
		energyMilliWh: sum.energyMilliWh,
		measuredEnergyMilliWh: sum.measuredEnergyMilliWh,
		hourlyGridMilliWh: sum.hourlyGridMilliWh,
		emissionsMilligrams: sum.emissionsMilligrams,
		marketEmissionsMilligrams: sum.marketEmissionsMilligrams,
		embodiedMilligrams: sum.embodiedMilligrams,
	};
}

/** How long the job held its machines, over all attempts. */
function machineMs({ charges, nodes }: ReceiptInput): bigint {
	let ofInstances = 0n;
	let ofAllocations = 0n;
	for (const charge of charges) {
		// Egress and price corrections hold no machine.
		if (charge.gpuMs === 0n) continue;
		const lengthMs = BigInt(charge.periodEndMs - charge.periodStartMs) * (charge.gpuMs < 0n ? -1n : 1n);
		if (charge.instanceId !== null) ofInstances += lengthMs;
		if (charge.allocationId !== null) ofAllocations += lengthMs;
	}
	return ofAllocations + ofInstances / BigInt(nodes);
}

function alternativesOf(decision: Explanation | null, heldMs: bigint): ReceiptAlternative[] {
	if (!decision || heldMs <= 0n) return [];
	const known = [...decision.candidates, ...decision.removed.map((r) => r.cheapest)];
	const chosen = known.find((c) => c.outcome === "chosen");
	return (["owned", "on_demand", "spot"] as const).flatMap((capacityType) => {
		if (chosen?.placement.capacityType === capacityType) return [];
		// Eligible candidates first, then excluded ones; within each, cheapest per hour first.
		const [best] = known
			.filter((c) => c.placement.capacityType === capacityType && BigInt(c.hourlyMicroUsd) > 0n && isComparable(c))
			.sort(
				(a, b) =>
					Number(a.outcome === "removed") - Number(b.outcome === "removed") || compare(BigInt(a.hourlyMicroUsd), BigInt(b.hourlyMicroUsd)),
			);
		return best ? [alternative(best, decision, heldMs)] : [];
	});
}

/** Skip prices too stale to be chosen, and machines that could not have run the job. */
function isComparable({ removedBy, placement }: Candidate): boolean {
	if (removedBy === null) return true;
	const { why } = removedBy;
	return why !== "price_stale" && (placement.capacityType === "owned" || !(why.startsWith("hardware_") || why === "mount_missing"));
}

function alternative(candidate: Candidate, decision: Explanation, heldMs: bigint): ReceiptAlternative {
	const owned = candidate.placement.capacityType === "owned";
	// At home the hourly price covers all GPUs of the job; in a cloud it is for one machine.
	const hourly = BigInt(candidate.hourlyMicroUsd) * (owned ? 1n : BigInt(candidate.instances));
	const run = mulDivFloor(hourly, heldMs, BigInt(HOUR_MS)).quotient;
	const storageMicroUsd = disksAlongside(candidate, run);
	const costMicroUsd = run + (storageMicroUsd ?? 0n) + BigInt(candidate.egressMicroUsd);
	return {
		way: owned ? "at_home" : candidate.placement.capacityType === "spot" ? "spot" : "on_demand",
		placement: candidate.placement,
		estimate: "same_machine_time_at_price_when_decided",
		costMicroUsd,
		storageMicroUsd,
		cashMicroUsd: owned ? 0n : costMicroUsd,
		startP50Ms: candidate.start.p50Ms,
		decidedAtMs: decision.decidedAtMs,
		removedBy: candidate.removedBy,
	};
}

/** Machines and their disks are estimated for the same time, so the ratio of their estimates applies. */
function disksAlongside({ storageMicroUsd, computeMicroUsd }: Candidate, run: bigint): bigint | null {
	if (storageMicroUsd === undefined || BigInt(computeMicroUsd) <= 0n) return null;
	return mulDivFloor(BigInt(storageMicroUsd), run, BigInt(computeMicroUsd)).quotient;
}

function compare(a: bigint, b: bigint): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
