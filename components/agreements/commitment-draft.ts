import { dayOf, instantOf } from "#components/agreements/discount-draft.ts";
import { formatMoney } from "#components/money/format-money.ts";
import { readDollars } from "#components/money/read-dollars.ts";
import type { Inputs, Outputs } from "#components/trpc/outputs.ts";
import { microToUsdText } from "#server/kernel/money.ts";

export type CommitmentLine = Outputs["rates"]["commitments"][number];
export type CommitmentInput = Inputs["rates"]["setCommitments"]["next"]["items"][number];

/** Form state of a commitment, as typed. */
export interface CommitmentDraft {
	id: string;
	siteId: string;
	kind: CommitmentInput["kind"];
	instanceType: string;
	accelerator: string;
	instances: string;
	/** "" means any region, any zone, or automatic matching by the provider. */
	region: string;
	zone: string;
	reservation: string;
	upfrontUsd: string;
	hourlyUsd: string;
	/** UTC days such as `2026-11-30`; `to` is the first day after the term. */
	from: string;
	to: string;
}

export function commitmentDraft(line: CommitmentLine | null, siteId: string): CommitmentDraft {
	if (line === null) {
		return {
			...{ id: "", siteId, kind: "reservation", instanceType: "", accelerator: "", instances: "1" },
			...{ region: "", zone: "", reservation: "", upfrontUsd: "0", hourlyUsd: "0", from: "", to: "" },
		};
	}
	const { instances, region, zone, reservation, upfrontMicroUsd, hourlyMicroUsd, from, to, ...rest } = line;
	return {
		...rest,
		...{ instances: String(instances), region: region ?? "", zone: zone ?? "", reservation: reservation ?? "" },
		...{ upfrontUsd: microToUsdText(BigInt(upfrontMicroUsd)), hourlyUsd: microToUsdText(BigInt(hourlyMicroUsd)) },
		...{ from: dayOf(from), to: dayOf(to) },
	};
}

/** Builds the commitment to submit; null while incomplete. A commitment costs something, and a zone needs a region. */
export function readCommitment(draft: CommitmentDraft, before: CommitmentLine | null): CommitmentInput | null {
	const { siteId, kind, from, to } = draft;
	const [id, instanceType, accelerator] = [draft.id.trim(), draft.instanceType.trim(), draft.accelerator.trim()];
	const [region, zone, reservation] = [draft.region.trim(), draft.zone.trim(), draft.reservation.trim()];
	const [upfront, hourly] = [readDollars(draft.upfrontUsd), readDollars(draft.hourlyUsd)];
	const named = /^[a-zA-Z0-9_-]{1,64}$/.test(id) && siteId !== "" && instanceType !== "" && accelerator !== "";
	if (!named || !/^[1-9]\d{0,5}$/.test(draft.instances.trim()) || from === "" || to <= from) return null;
	if (!upfront || !hourly || upfront.microUsd + hourly.microUsd === 0n || (zone !== "" && region === "")) return null;
	return {
		...{ id, siteId, kind, instanceType, accelerator, instances: Number(draft.instances) },
		...{ region: region || null, zone: zone || null, reservation: reservation || null },
		...{ upfrontMicroUsd: upfront.microUsd.toString(), hourlyMicroUsd: hourly.microUsd.toString() },
		...{ from: instantOf(from, before?.from ?? null), to: instantOf(to, before?.to ?? null) },
	};
}

/** Describes a commitment: hardware, location, total price and term. */
export function describeCommitment(line: CommitmentLine): string {
	const { kind, accelerator, region, zone, reservation, upfrontMicroUsd, hourlyMicroUsd, from, to } = line;
	const where = [accelerator, zone ?? region ?? "any region", ...(reservation === null ? [] : [reservation])].join(", ");
	const price = `${formatMoney(upfrontMicroUsd, "price")} upfront and ${formatMoney(hourlyMicroUsd, "price")} per hour`;
	return `${kind === "reservation" ? "Reserved" : "Committed"}: ${where}; ${price}, from ${dayOf(from)} to ${dayOf(to)}`;
}
