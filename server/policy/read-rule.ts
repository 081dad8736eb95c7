import { isMap } from "yaml";
import type { Rule, RuleEffect } from "#server/domain/policy.ts";
import { CAPACITY_TYPES, type CapacityType, CLOUD_PROVIDERS, ROLES } from "#server/domain/vocabulary.ts";
import { didYouMean, nearestName } from "#server/kernel/nearest-name.ts";
import { HOUR_MS } from "#server/kernel/units.ts";
import { POLICY_LIMITS } from "./limits.ts";
import { type Field, type PolicyReader, shorten } from "./policy-reader.ts";

const EFFECTS = ["deny", "allow", "burst", "require", "limit"] as const;
const PLACE_LISTS = ["sites", "regions", "instanceFamilies", "capacityTypes"] as const;
const TRIGGERS = ["forecastWait", "waited", "deadlineSlack", "queueLength"] as const;

/** A rule together with where its parts stand, for the checks between rules. */
export interface PlacedRule {
	rule: Rule;
	offset: number;
	idOffset: number;
}

export interface ReadContext {
	reader: PolicyReader;
	/** The sites that exist, when the caller knows them: then a rule for another one is refused. */
	siteIds: readonly string[] | null;
}

/** One entry of `spec.rules`; null when it has an error, which is reported. */
export function readRule(ctx: ReadContext, at: Field): PlacedRule | null {
	const { reader } = ctx;
	const fields = reader.fields(at, ["id", "when", ...EFFECTS]);
	if (!fields) return null;
	const idField = reader.required(at, fields, "id", "Give the rule a name, for example id: sensitive-stays-home.");
	const id = idField && reader.name(idField, "sensitive-stays-home");
	const [first, second] = EFFECTS.flatMap((kind) => {
		const field = fields.get(kind);
		return field ? [{ kind, field }] : [];
	});
	const whenField = fields.get("when");
	// only an approval is judged after a place was chosen, when there is a quote to ask of
	const asksFirst = first?.kind === "require" && isMap(first.field.node) && first.field.node.has("approval");
	const when = whenField ? reader.condition(whenField, asksFirst ? "job_and_quote" : "job") : null;
	if (!first) {
		// a misspelt effect has been reported already
		if (isMap(at.node) && at.node.items.length > fields.size) return null;
		return reader.error(at, `${at.path} does nothing.`, `Give it one of: ${EFFECTS.join(", ")}.`);
	}
	if (second) {
		return reader.report(
			"error",
			second.field.keyOffset,
			`${at.path} has both ${first.kind} and ${second.kind}; a rule does one thing.`,
			`Move ${second.kind} to a rule of its own.`,
		);
	}
	const effect = readEffect(ctx, first.kind, first.field);
	if (effect === null || id === null || (whenField && when === null)) return null;
	return { rule: { id, when, line: reader.lineOf(at.offset), effect }, offset: at.offset, idOffset: idField?.offset ?? at.offset };
}

function readEffect(ctx: ReadContext, kind: (typeof EFFECTS)[number], at: Field): RuleEffect | null {
	switch (kind) {
		case "deny":
		case "allow":
			return readPlaces(ctx, kind, at);
		case "burst":
			return readBurst(ctx.reader, at);
		case "require":
			return readRequire(ctx.reader, at);
		case "limit":
			return readLimit(ctx.reader, at);
	}
}

function readPlaces(ctx: ReadContext, kind: "deny" | "allow", at: Field): RuleEffect | null {
	const { reader } = ctx;
	const fields = reader.fields(at, PLACE_LISTS);
	if (!fields) return null;
	if (fields.size === 0) return reader.missing(at, `${at.path} names no places.`, `Give it one of: ${PLACE_LISTS.join(", ")}.`);
	const sites = readList(reader, fields.get("sites"), (item) => readSite(ctx, item));
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

function readSite(ctx: ReadContext, at: Field): string | null {
	const { reader, siteIds } = ctx;
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

function readBurst(reader: PolicyReader, at: Field): RuleEffect | null {
	const fields = reader.fields(at, ["after", "or", "always"]);
	if (!fields) return null;
	const always = fields.get("always");
	const after = fields.get("after");
	const or = fields.get("or");
	const none = {
		forecastWaitMs: null,
		waitedMs: null,
		deadlineSlackMs: null,
		queueLength: null,
		costAtMostMicroUsd: null,
		dataAtMostGiB: null,
	};
	if (always) {
		if (after || or)
			return reader.report(
				"error",
				always.keyOffset,
				"always stands alone: what bursts at once does not wait for anything.",
				"Take after and or away.",
			);
		const given = reader.oneOf(always, ["true"]);
		return given && { kind: "burst", ...none, always: true };
	}
	if (!after) return reader.error(at, `${at.path} does not say when.`, "Write for example after: { forecastWait: 30m }.");
	const first = readTriggers(reader, after);
	const others = or ? readTriggers(reader, or) : new Map<Trigger, number>();
	if (!first || !others) return null;
	if (first.size > 1) {
		return reader.error(
			after,
			"after takes one trigger: two could mean both or either.",
			"Keep one, and write the others in or: a job bursts when any of them is met.",
		);
	}
	for (const name of others.keys())
		if (or && first.has(name)) return reader.error(or, `${name} is in after and in or.`, "Keep one of them.");
	const value = (name: Trigger) => first.get(name) ?? others.get(name) ?? null;
	return {
		kind: "burst",
		forecastWaitMs: value("forecastWait"),
		waitedMs: value("waited"),
		deadlineSlackMs: value("deadlineSlack"),
		queueLength: value("queueLength"),
		always: false,
		costAtMostMicroUsd: null,
		dataAtMostGiB: null,
	};
}

type Trigger = (typeof TRIGGERS)[number];

function readTriggers(reader: PolicyReader, at: Field): Map<Trigger, number> | null {
	const fields = reader.fields(at, TRIGGERS);
	if (!fields) return null;
	const triggers = new Map<Trigger, number>();
	let sound = fields.size > 0;
	if (fields.size === 0) reader.missing(at, `${at.path} names no trigger.`, `Give it one of: ${TRIGGERS.join(", ")}.`);
	for (const name of TRIGGERS) {
		const field = fields.get(name);
		if (!field) continue;
		const value =
			name === "queueLength"
				? reader.number(field, { above: 0, atMost: POLICY_LIMITS.queueLength, whole: true, unit: "waiting jobs" })
				: reader.durationMs(field);
		if (value === null) sound = false;
		else triggers.set(name, value);
	}
	return sound ? triggers : null;
}

function readRequire(reader: PolicyReader, at: Field): RuleEffect | null {
	const fields = reader.fields(at, ["capacityType", "approval"]);
	if (!fields) return null;
	const capacity = fields.get("capacityType");
	const approval = fields.get("approval");
	if (capacity && approval)
		return reader.error(
			at,
			`${at.path} has both capacityType and approval; a rule does one thing.`,
			"Move one of them to a rule of its own.",
		);
	if (approval) {
		const role = reader.oneOf(approval, ROLES);
		if (role === null) return null;
		return reader.notYet(
			approval,
			"the job would be held, and there is no place yet in which a person could say yes.",
			"Take the rule away; a budget caps the money meanwhile.",
		);
	}
	if (!capacity) return reader.missing(at, `${at.path} requires nothing.`, "Write capacityType: spot, on_demand or reserved.");
	const capacityType = reader.oneOf(capacity, ["reserved", "on_demand", "spot"] as const);
	return capacityType && { kind: "require", capacityType, approval: null };
}

function readLimit(reader: PolicyReader, at: Field): RuleEffect | null {
	const fields = reader.fields(at, ["instanceHours", "idleMinutes", "gpuUtilisationBelow"]);
	if (!fields) return null;
	const idle = fields.get("idleMinutes");
	const utilisation = fields.get("gpuUtilisationBelow");
	const hours = fields.get("instanceHours");
	if (idle)
		reader.notYet(
			idle,
			"nothing ends an idle instance by this time.",
			"Take it away; an instance ends with its job, and instanceHours bounds its life.",
		);
	if (utilisation)
		reader.notYet(utilisation, "nothing measures the GPUs of an instance.", "Take it away; instanceHours bounds an instance's life.");
	const most = POLICY_LIMITS.durationMs / HOUR_MS;
	const value = hours ? reader.number(hours, { above: 0, atMost: most, whole: false, unit: "hours" }) : null;
	if (idle || utilisation) return null;
	if (!hours) return reader.missing(at, `${at.path} limits nothing.`, "Write for example instanceHours: 24.");
	if (value === null) return null;
	const instanceMs = Math.floor(value * HOUR_MS);
	if (instanceMs < 60_000)
		return reader.error(hours, "An instance that lives less than a minute cannot run anything.", "Write at least 0.02.");
	return { kind: "limit", instanceMs, idleMs: null, gpuUtilisationBelow: null };
}
