import { isMap } from "yaml";
import type { Rule, RuleEffect } from "#server/domain/policy.ts";
import type { Role } from "#server/domain/vocabulary.ts";
import type { Field, PolicyReader } from "./policy-reader.ts";
import { readAdopt } from "./read-adopt.ts";
import { readBurst } from "./read-burst.ts";
import { readDefer, readMove, readPreempt } from "./read-changes.ts";
import { readLimit } from "./read-limit.ts";
import { readPlaces } from "./read-places.ts";
import type { Measure } from "./types.ts";

const EFFECTS = ["deny", "allow", "burst", "require", "preempt", "move", "defer", "adopt", "limit"] as const;

/** Who may be asked: those who answer for the platform or the money, never who submits (server/services/authorize.ts, job:approve). */
export const APPROVERS = ["platform", "finance"] as const satisfies readonly Role[];

/** A rule together with where its parts stand, for the checks between rules. */
export interface PlacedRule {
	rule: Rule;
	offset: number;
	idOffset: number;
	/** Where its condition stands; its own place when it has none. */
	whenOffset: number;
}

export interface ReadContext {
	reader: PolicyReader;
	/** The sites that exist, when the caller knows them: then a rule for another one is refused. */
	siteIds: readonly string[] | null;
	/** What this installation measures. */
	measures: readonly Measure[];
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
		return reader.missing(at, fields, `${at.path} does nothing.`, `Give it one of: ${EFFECTS.join(", ")}.`);
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
	return {
		rule: { id, when, line: reader.lineOf(at.offset), effect },
		offset: at.offset,
		idOffset: idField?.offset ?? at.offset,
		whenOffset: whenField?.offset ?? at.offset,
	};
}

function readEffect(ctx: ReadContext, kind: (typeof EFFECTS)[number], at: Field): RuleEffect | null {
	const { reader } = ctx;
	switch (kind) {
		case "deny":
		case "allow":
			return readPlaces(reader, ctx.siteIds, kind, at);
		case "burst":
			return readBurst(reader, at);
		case "require":
			return readRequire(reader, at);
		case "preempt":
			return readPreempt(reader, at);
		case "move":
			return readMove(reader, at);
		case "defer":
			return readDefer(reader, ctx.measures, at);
		case "adopt":
			return readAdopt(reader, ctx.siteIds, at);
		case "limit":
			return readLimit(reader, ctx.measures, at);
	}
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
		const role = reader.oneOf(approval, APPROVERS);
		return role && { kind: "require", capacityType: null, approval: role };
	}
	if (!capacity) return reader.missing(at, fields, `${at.path} requires nothing.`, "Write capacityType: spot, on_demand or reserved.");
	const capacityType = reader.oneOf(capacity, ["reserved", "on_demand", "spot"] as const);
	return capacityType && { kind: "require", capacityType, approval: null };
}
