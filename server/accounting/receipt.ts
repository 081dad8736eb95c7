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
	/** What the power of its time at home is priced from; null without such time, and where no rate card held. */
	electricity: HomeElectricity | null;
	/** Software Carbon Intensity (ISO/IEC 21031) of all attempts: by GPU-hour, and of the job. */
	carbon: CarbonIntensity;
	/** Storage and egress of the job's results, which belong to no attempt. */
	results: ReceiptLine[];
	/** What the job's kept results cost from now on; null when none is kept. */
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

/** All charges of one kind that one machine, allocation or result caused. */
export interface ReceiptLine {
	kind: ChargeKind;
	/** The instance, allocation or result. */
	causeId: string;
	fromMs: number;
	toMs: number;
	/** `metered`: it still runs or is not settled, so the line may grow. `posted`: final. */
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
	/** Parts of energyMilliWh: measured, and computed with the grid's intensity of the hour. */
	measuredEnergyMilliWh: bigint;
	hourlyGridMilliWh: bigint;
	/** Operational, location-based; null when the emissions of any part are not known. */
	emissionsMilligrams: bigint | null;
	/** Operational by the power contracts; null when any part's contract is not known. */
	marketEmissionsMilligrams: bigint | null;
	/** Of the machines' manufacture; null when any part's is not known. */
	embodiedMilligrams: bigint | null;
}

/** Another way in which the job could have run, from the candidates that its decision was made from. */
export interface ReceiptAlternative {
	way: "at_home" | "on_demand" | "spot";
	placement: Placement;
	/**
	 * An estimate, always: the machine time that the job took, at this candidate's price when it was decided, plus its disks and its
	 * egress.
	 */
	estimate: "same_machine_time_at_price_when_decided";
	costMicroUsd: bigint;
	/**
	 * The part of it that is disks, at the most expensive month's hour; null at home, where the cost includes all, and where their
	 * price was unknown.
	 */
	storageMicroUsd: bigint | null;
	/** What is newly spent; at home the hardware is paid for already. */
	cashMicroUsd: bigint;
	/** When it was forecast to start there, UTC ms. */
	startP50Ms: number;
	decidedAtMs: number;
	/** Why it could not be taken; null when it could. */
	removedBy: Candidate["removedBy"];
}

export interface ReceiptInput {
	jobId: string;
	/** Machines that ran together, where it ran on instances. */
	nodes: number;
	attempts: readonly { id: string; number: number; state: AttemptState; placement: Placement }[];
	charges: readonly Charge[];
	/** Instances, allocations and results with final charges. */
	settledCauseIds: ReadonlySet<string>;
	electricity: HomeElectricity | null;
	kept: KeptStorage | null;
	/** The decision that placed the job first; null when it was never placed. */
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
		// Data out and corrections of a price hold no machine.
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
		// What could have been taken comes before what was removed; then the cheapest by the hour.
		const [best] = known
			.filter((c) => c.placement.capacityType === capacityType && BigInt(c.hourlyMicroUsd) > 0n && isComparable(c))
			.sort(
				(a, b) =>
					Number(a.outcome === "removed") - Number(b.outcome === "removed") || compare(BigInt(a.hourlyMicroUsd), BigInt(b.hourlyMicroUsd)),
			);
		return best ? [alternative(best, decision, heldMs)] : [];
	});
}

/** A price that was too old to be chosen says nothing, and neither does that of a machine on which the job could not have run. */
function isComparable({ removedBy, placement }: Candidate): boolean {
	if (removedBy === null) return true;
	const { why } = removedBy;
	return why !== "price_stale" && (placement.capacityType === "owned" || !(why.startsWith("hardware_") || why === "mount_missing"));
}

function alternative(candidate: Candidate, decision: Explanation, heldMs: bigint): ReceiptAlternative {
	const owned = candidate.placement.capacityType === "owned";
	// At home the hourly price is that of all the job's GPUs, in a cloud that of one machine.
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

/** Machines and their disks are estimated for the same time, so they are to each other as their estimates are. */
function disksAlongside({ storageMicroUsd, computeMicroUsd }: Candidate, run: bigint): bigint | null {
	if (storageMicroUsd === undefined || BigInt(computeMicroUsd) <= 0n) return null;
	return mulDivFloor(BigInt(storageMicroUsd), run, BigInt(computeMicroUsd)).quotient;
}

function compare(a: bigint, b: bigint): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
