import type { RuleEffect } from "#server/domain/policy.ts";
import { didYouMean } from "#server/kernel/nearest-name.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { type Field, type PolicyReader, shorten } from "./policy-reader.ts";

const FIELDS = ["team", "sites", "partitions", "users", "optIn"] as const;

/** `adopt: { team: research, partitions: [gpu*] }`. `siteIds`: the sites that exist, when the caller knows them. */
export function readAdopt(
	reader: PolicyReader,
	siteIds: readonly string[] | null,
	at: Field,
): Extract<RuleEffect, { kind: "adopt" }> | null {
	const fields = reader.fields(at, FIELDS);
	if (!fields) return null;
	const teamField = reader.required(
		at,
		fields,
		"team",
		"Say whose the jobs are here, for budgets and charges, for example team: research.",
	);
	const team = teamField && reader.text(teamField, "research");
	const sites = readNames(
		reader,
		fields.get("sites"),
		(text) => siteIds === null || siteIds.includes(text) || didYouMean(text, [...siteIds]),
	);
	const partitions = readNames(reader, fields.get("partitions"));
	const users = readNames(reader, fields.get("users"));
	const optInField = fields.get("optIn");
	const optIn = optInField ? reader.oneOf(optInField, ["needed", "not-needed"] as const) : ("needed" as const);
	if (team === null || !sites || !partitions || !users || optIn === null) return null;
	return { kind: "adopt", team, sites, partitions, users, needsOptIn: optIn === "needed" };
}

/** A list of names or patterns; one that is left out names all. `isKnown` answers true, or what was probably meant. */
function readNames(reader: PolicyReader, at: Field | undefined, isKnown: (text: string) => boolean | string = () => true): string[] | null {
	if (!at) return [];
	const items = reader.items(at, POLICY_LIMITS.listEntries);
	if (!items) return null;
	if (items.length === 0)
		return reader.error(at, `${at.path} is an empty list, which could mean all or none.`, "Leave the field out for all.");
	const names: string[] = [];
	for (const item of items) {
		const text = reader.text(item, "gpu*");
		if (text === null) return null;
		const known = isKnown(text);
		if (known !== true) return reader.error(item, `There is no site "${shorten(text)}".`, typeof known === "string" ? known : null);
		names.push(text);
	}
	return names;
}
