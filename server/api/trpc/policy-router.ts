import { nameInput, publishInput, saveDraftInput } from "#server/contract/inputs/policy.ts";
import { byId } from "#server/contract/parts.ts";
import { completeInput, completePolicyText } from "#server/services/governance/policy/complete.ts";
import { publishPolicy } from "#server/services/governance/policy/publish.ts";
import { tryPolicyRule, tryRuleInput } from "#server/services/governance/policy/try-rule.ts";
import { approveProposal, rejectProposal } from "#server/services/governance/proposal/decide.ts";
import { listPolicyProposals } from "#server/services/governance/proposal/list.ts";
import { discardDraft, getDraft, saveDraft } from "#server/services/policy/draft.ts";
import { policyOperations } from "../operations/policies.ts";
import { procedure, router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

export const policyRouter = router({
	...proceduresOf(policyOperations),
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
	/** Publications and rollbacks that wait for a second person, or were decided recently. */
	proposals: procedure.query(({ ctx }) => listPolicyProposals(ctx.service)),
	approve: procedure.input(byId).mutation(({ ctx, input }) => approveProposal(ctx.service, input.id)),
	reject: procedure.input(byId).mutation(({ ctx, input }) => rejectProposal(ctx.service, input.id)),
});
