import type { RuleEffect } from "#server/domain/policy.ts";
import { CAPACITY_TYPES, type CapacityType, CLOUD_PROVIDERS } from "#server/domain/vocabulary.ts";
import { didYouMean, nearestName } from "#server/kernel/nearest-name.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { type Field, type PolicyReader, shorten } from "./policy-reader.ts";

export const PLACE_LISTS = ["sites", "regions", "instanceFamilies", "capacityTypes"] as const;

/** `deny: {…}` or `allow: {…}`. `siteIds`: the sites that exist, when the caller knows them. */
export function readPlaces(
	reader: PolicyReader,
	siteIds: readonly string[] | null,
	kind: "deny" | "allow",
	at: Field,
): Extract<RuleEffect, { kind: "deny" | "allow" }> | null {
	const fields = reader.fields(at, PLACE_LISTS);
	if (!fields) return null;
	if (fields.size === 0) return reader.missing(at, fields, `${at.path} names no places.`, `Give it one of: ${PLACE_LISTS.join(", ")}.`);
	const sites = readList(reader, fields.get("sites"), (item) => readSite(reader, siteIds, item));
	const regions = readList(reader, fields.get("regions"), (item) => readRegion(reader, item));
	const instanceFamilies = readList(reader, fields.get("instanceFamilies"), (item) => readPattern(reader, item, "p5"));
	const capacityTypes = readList(reader, fields.get("capacityTypes"), (item): CapacityType | null => reader.oneOf(item, CAPACITY_TYPES));
	if (!sites || !regions || !instanceFamilies || !capacityTypes) return null;
	return { kind, sites, regions, instanceFamilies, capacityTypes };
}

/** An absent list restricts nothing; an empty one that was written is refused, as it could mean all or none. */
function readList<T>(reader: PolicyReader, at: Field | undefined, read: (item: Field) => T | null): T[] | null {
	if (!at) return [];
	const items = reader.items(at, POLICY_LIMITS.listEntries);
	if (!items) return null;
	if (items.length === 0)
		return reader.error(at, `${at.path} is an empty list, which could mean all or none.`, "Name the places, or leave the field out.");
	const values = items.map(read);
	const sound = values.filter((value): value is T & {} => value !== null);
	return sound.length === values.length ? sound : null;
}

function readPattern(reader: PolicyReader, at: Field, example: string): string | null {
	const text = reader.text(at, example);
	if (text === null) return null;
	if (/^[A-Za-z0-9*._:/-]+$/.test(text) && text.length <= POLICY_LIMITS.patternCharacters) return text;
	const fix = `Letters, digits, ".", "_", "-" and * for any characters; at most ${POLICY_LIMITS.patternCharacters}.`;
	return reader.error(at, `"${shorten(text)}" is not a name or pattern.`, fix);
}

function readRegion(reader: PolicyReader, at: Field): string | null {
	const text = readPattern(reader, at, '"aws:eu-*"');
	if (text === null) return null;
	const colon = text.indexOf(":");
	const provider = colon < 0 ? "" : text.slice(0, colon);
	if (colon < 0 && !text.startsWith("*")) {
		return reader.error(
			at,
			`"${shorten(text)}" names no provider; regions are written provider:region.`,
			`Write for example "aws:${shorten(text)}".`,
		);
	}
	if (colon < 0 || provider.includes("*") || (CLOUD_PROVIDERS as readonly string[]).includes(provider.toLowerCase())) return text;
	return reader.error(at, `There is no cloud provider "${shorten(provider)}".`, didYouMean(provider, CLOUD_PROVIDERS));
}

function readSite(reader: PolicyReader, siteIds: readonly string[] | null, at: Field): string | null {
	const text = reader.text(at, "cloud");
	if (text === null) return null;
	if (text === "cloud" || text === "owned" || siteIds?.includes(text)) return text;
	if (text.includes("*"))
		return reader.error(
			at,
			`Sites are named, not matched: "${shorten(text)}".`,
			"Name each site, or write cloud or owned for all of a kind.",
		);
	if (siteIds) return reader.error(at, `There is no site "${shorten(text)}".`, didYouMean(text, ["cloud", "owned", ...siteIds]));
	const meant = nearestName(text, ["cloud", "owned"]);
	if (meant) reader.report("warning", at.offset, `"${shorten(text)}" is read as the id of a site.`, `Did you mean ${meant}?`);
	return readPattern(reader, at, "cloud");
}
