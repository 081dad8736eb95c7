import { isMap, isScalar } from "yaml";
import type { Policy } from "#server/domain/policy.ts";
import { POLICY_LIMITS } from "./limits.ts";
import type { Field, PolicyReader } from "./policy-reader.ts";

/** What an hour's delay and a tonne of CO2 count beside dollars; 0 when not given: then only the price decides. */
export function readWeights(reader: PolicyReader, at: Field | undefined): Policy["weights"] | null {
	if (!at) return { delayMicroUsdPerHour: 0n, carbonMicroUsdPerTonne: 0n };
	const fields = reader.fields(at, ["delayUsdPerHour", "carbonUsdPerTonne"]);
	if (!fields) return null;
	const weight = (name: string) => {
		const field = fields.get(name);
		return field ? reader.microUsd(field) : 0n;
	};
	const delayMicroUsdPerHour = weight("delayUsdPerHour");
	const carbonMicroUsdPerTonne = weight("carbonUsdPerTonne");
	return delayMicroUsdPerHour === null || carbonMicroUsdPerTonne === null ? null : { delayMicroUsdPerHour, carbonMicroUsdPerTonne };
}

export interface PlacedShare {
	team: string;
	weight: number;
	offset: number;
}

/** `shares: { risk: 2, vision: 1 }`: teams with their weights, in the order of the text. Left out or left empty: none. */
export function readShares(reader: PolicyReader, at: Field | undefined): PlacedShare[] | null {
	if (!at || at.node === null || (isScalar(at.node) && at.node.value === null)) return [];
	const names = isMap(at.node) ? at.node.items.map((pair) => (isScalar(pair.key) ? String(pair.key.value) : "")) : ["risk"];
	const fields = reader.fields(at, names);
	if (!fields) return null;
	if (fields.size > POLICY_LIMITS.shares)
		return reader.error(at, `${at.path} has ${fields.size} teams; at most ${POLICY_LIMITS.shares} are read.`, null);
	const shares: PlacedShare[] = [];
	for (const [team, field] of fields) {
		const weight = reader.number(field, { above: 0, atMost: POLICY_LIMITS.shareWeight, whole: false, unit: "parts" });
		const named = reader.named(team, field, "risk");
		if (weight !== null && named) shares.push({ team, weight, offset: field.keyOffset });
	}
	return shares.length === fields.size ? shares : null;
}
