import { putPolicyInput } from "#server/contract/inputs/policy.ts";
import { draft, policy } from "#server/contract/policy.ts";
import { SpillwayError } from "#server/kernel/errors.ts";
import { checkPolicy } from "#server/services/governance/policy/check.ts";
import { unmanagePolicy } from "#server/services/governance/policy/manage.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { rollbackPolicy } from "#server/services/governance/policy/rollback.ts";
import { viewPolicy } from "#server/services/governance/policy/view.ts";
import { diffVersions } from "#server/services/policy/diff.ts";
import { discardDraft, getDraft, saveDraft } from "#server/services/policy/draft.ts";
import { listEffects } from "#server/services/policy/effects.ts";
import { currentTag, etagOf } from "#server/services/policy/entity-tag.ts";
import { mergeWithActive } from "#server/services/policy/merge.ts";
import { changePolicySettings, viewPolicySettings } from "#server/services/policy/settings.ts";
import { getVersion, listPolicies, listVersions } from "#server/services/policy/versions.ts";
import { baseVersionOf, notModified } from "../http/entity-tags.ts";
import { bind, bindRest, withRest, withStatus } from "./bind.ts";

export const policyOperations = {
	names: bind(policy.names, listPolicies),
	get: withRest(
		bind(policy.get, (ctx, { name }) => viewPolicy(ctx, name)),
		async (ctx, { name }, { raw, response }) => {
			const view = await viewPolicy(ctx, name);
			const headers = { etag: view.etag };
			if (!notModified(raw, view.etag)) return { status: 200, body: view, headers };
			response.writeHead(304, { ...headers, "cache-control": "no-store" }).end();
			return "streamed";
		},
	),
	// No Idempotency-Key needed: publishing the same text again changes nothing.
	put: bindRest(policy.put, async (ctx, input, { raw }) => {
		const { name, origin, ...publication } = putPolicyInput.parse(input);
		const before = await currentTag(ctx, name);
		const baseVersion = baseVersionOf(raw, before);
		const done = await publishPolicy(ctx, { ...publication, name, baseVersion, origin: origin ?? { kind: "api" } });
		const etag = done.outcome === "proposed" ? before?.etag : etagOf({ version: done.version, source: publication.source });
		return { status: statusOf(done.outcome, before === null), body: done, ...(etag === undefined ? {} : { headers: { etag } }) };
	}),
	effects: bind(policy.effects, listEffects),
	versions: bind(policy.versions, listVersions),
	version: withRest(bind(policy.version, getVersion), async (ctx, input) => {
		const view = await getVersion(ctx, input);
		return { status: 200, body: view, headers: { etag: view.etag } };
	}),
	diff: bind(policy.diff, diffVersions),
	check: bind(policy.check, checkPolicy),
	merge: bind(policy.merge, mergeWithActive),
	rollback: withStatus(bind(policy.rollback, rollbackPolicy), ({ outcome }) => statusOf(outcome, false)),
	unmanage: bind(policy.unmanage, unmanagePolicy),
	settings: bind(policy.settings, viewPolicySettings),
	changeSettings: withStatus(bind(policy.changeSettings, changePolicySettings), ({ proposalId }) => (proposalId === null ? 200 : 202)),
};

export const draftOperations = {
	get: bind(draft.get, async (ctx, { name }) => {
		const found = await getDraft(ctx, { name });
		if (found) return found;
		throw new SpillwayError("not_found", `You have no draft of "${name}".`, { fix: "PUT one here." });
	}),
	save: bind(draft.save, saveDraft),
	discard: bind(draft.discard, async (ctx, { name }) => {
		await discardDraft(ctx, { name });
		return {};
	}),
};

function statusOf(outcome: "published" | "unchanged" | "proposed", isFirst: boolean): number {
	if (outcome === "proposed") return 202;
	return outcome === "published" && isFirst ? 201 : 200;
}
