import { z } from "zod";
import { listAuditInput } from "#server/contract/inputs/audit.ts";
import { chainState } from "#server/services/governance/audit/check-chain.ts";
import { listAudit } from "#server/services/governance/audit/list.ts";
import { procedure, router } from "./init.ts";

/** A list that is read page by page is asked with the direction by the client's library; there is one. */
const pageInput = listAuditInput.extend({ direction: z.literal("forward").optional() });

export const auditRouter = router({
	list: procedure.input(pageInput).query(({ ctx, input: { direction: _, ...input } }) => listAudit(ctx.service, input)),
	chain: procedure.query(({ ctx }) => chainState(ctx.service)),
});
