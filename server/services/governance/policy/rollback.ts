import type { z } from "zod";
import { rollbackInput } from "#server/contract/inputs/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { parsePolicy } from "#server/policy/parse-policy.ts";
import { authorize } from "#server/services/core/authorize.ts";
import type { ServiceContext } from "#server/services/core/context.ts";
import { fetchVersion, knownPointer, readStored, type VersionRow } from "#server/services/policy/fetch-version.ts";
import { rejectManaged, rejectStale } from "#server/services/policy/guards.ts";
import { readPolicySettings } from "#server/services/policy/settings.ts";
import { knownFacts } from "./known-facts.ts";
import { proposePublication } from "./propose.ts";
import type { Published } from "./publish.ts";
import { lockPolicy, movePointer } from "./write-version.ts";

/**
 * Publishes an older version again as accepted at the time, even where today's checks would reject it: `warnings` lists their findings. No
 * version is written; the next published one gets the next number.
 * @throws SpillwayError `not_found`, `forbidden`, `precondition_failed`, `conflict`; ZodError.
 */
export async function rollbackPolicy(ctx: ServiceContext, raw: z.input<typeof rollbackInput>): Promise<Published> {
	authorize(ctx, "policy:publish", null);
	const { name, version, message, baseVersion } = rollbackInput.parse(raw);
	const facts = await knownFacts(ctx);
	return ctx.db.transaction(async (tx) => {
		await lockPolicy(tx, name);
		const pointer = await knownPointer(tx, name);
		rejectManaged(pointer, null);
		const row = await fetchVersion(tx, name, version);
		const warnings = parsePolicy(row.source, facts).problems;
		const active = pointer.activeVersion;
		if (active === version) return { outcome: "unchanged", version, proposalId: null, warnings };
		if (baseVersion !== undefined) await rejectStale(tx, pointer, baseVersion);
		const policy = readable(row);
		if (ctx.actor.kind === "person" && (await readPolicySettings(tx)).secondPerson) {
			const change = { policyName: name, policyVersion: active, source: row.source, rollbackTo: version, origin: null, backtestId: null };
			return { outcome: "proposed", version: active, proposalId: await proposePublication(tx, ctx, change, message), warnings };
		}
		await movePointer(tx, ctx, { name, version, kind: "rollback", policy, message });
		return { outcome: "published", version, proposalId: null, warnings };
	});
}

/** @throws SpillwayError `conflict` */
export function readable(row: VersionRow) {
	const policy = readStored(row.source);
	if (policy) return policy;
	throw new SpillwayError("conflict", `Version ${row.version} cannot be read by this version of Spillway.`, {
		fix: "Open it in the editor, fix the problems shown, and publish it.",
	});
}
