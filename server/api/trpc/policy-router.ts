import { z } from "zod";
import {
	changePolicySettingsInput,
	checkInput,
	diffInput,
	mergeInput,
	nameInput,
	publishInput,
	rollbackInput,
	saveDraftInput,
	versionInput,
	versionsInput,
} from "#server/contract/inputs/policy.ts";
import { checkPolicy } from "#server/services/governance/policy/check.ts";
import { completeInput, completePolicyText } from "#server/services/governance/policy/complete.ts";
import { unmanagePolicy } from "#server/services/governance/policy/manage.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { rollbackPolicy } from "#server/services/governance/policy/rollback.ts";
import { tryPolicyRule, tryRuleInput } from "#server/services/governance/policy/try-rule.ts";
import { viewPolicy } from "#server/services/governance/policy/view.ts";
import { approveProposal, rejectProposal } from "#server/services/governance/proposal/decide.ts";
import { listPolicyProposals } from "#server/services/governance/proposal/list.ts";
import { diffVersions } from "#server/services/policy/diff.ts";
import { discardDraft, getDraft, saveDraft } from "#server/services/policy/draft.ts";
import { mergeWithActive } from "#server/services/policy/merge.ts";
import { changePolicySettings, viewPolicySettings } from "#server/services/policy/settings.ts";
import { getVersion, listPolicies, listVersions } from "#server/services/policy/versions.ts";
import { procedure, router } from "./init.ts";

const byId = z.strictObject({ id: z.string().min(1).max(64) });

export const policyRouter = router({
	names: procedure.query(({ ctx }) => listPolicies(ctx.service)),
	get: procedure.input(nameInput).query(({ ctx, input }) => viewPolicy(ctx.service, input.name)),
	versions: procedure.input(versionsInput).query(({ ctx, input }) => listVersions(ctx.service, input)),
	version: procedure.input(versionInput).query(({ ctx, input }) => getVersion(ctx.service, input)),
	check: procedure.input(checkInput).query(({ ctx, input }) => checkPolicy(ctx.service, input)),
	diff: procedure.input(diffInput).query(({ ctx, input }) => diffVersions(ctx.service, input)),
	merge: procedure.input(mergeInput).query(({ ctx, input }) => mergeWithActive(ctx.service, input)),
	complete: procedure.input(completeInput).query(({ ctx, input }) => completePolicyText(ctx.service, input)),
	tryRule: procedure.input(tryRuleInput).query(({ ctx, input }) => tryPolicyRule(ctx.service, input)),
	draft: router({
		get: procedure.input(nameInput).query(({ ctx, input }) => getDraft(ctx.service, input)),
		save: procedure.input(saveDraftInput).mutation(({ ctx, input }) => saveDraft(ctx.service, input)),
		discard: procedure.input(nameInput).mutation(({ ctx, input }) => discardDraft(ctx.service, input)),
	}),
	publish: procedure
		.input(publishInput)
		.mutation(({ ctx, input }) => publishPolicy(ctx.service, { ...input, origin: { kind: "browser" } })),
	rollback: procedure.input(rollbackInput).mutation(({ ctx, input }) => rollbackPolicy(ctx.service, input)),
	/** Publications and rollbacks that wait for a second person, or were decided lately. */
	proposals: procedure.query(({ ctx }) => listPolicyProposals(ctx.service)),
	approve: procedure.input(byId).mutation(({ ctx, input }) => approveProposal(ctx.service, input.id)),
	reject: procedure.input(byId).mutation(({ ctx, input }) => rejectProposal(ctx.service, input.id)),
	unmanage: procedure.input(nameInput).mutation(({ ctx, input }) => unmanagePolicy(ctx.service, input)),
	settings: procedure.query(({ ctx }) => viewPolicySettings(ctx.service)),
	changeSettings: procedure.input(changePolicySettingsInput).mutation(({ ctx, input }) => changePolicySettings(ctx.service, input)),
});
