import { z } from "zod";
import { listAuditInput } from "#server/contract/inputs/audit.ts";
import { listAudit } from "#server/services/governance/audit/list.ts";
import { auditOperations } from "../operations/audit.ts";
import { procedure, router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

/** A list that is read page by page is asked with the direction by the client's library; there is one. */
const pageInput = listAuditInput.extend({ direction: z.literal("forward").optional() });

export const auditRouter = router({
	...proceduresOf(auditOperations),
	list: procedure.input(pageInput).query(({ ctx, input: { direction: _, ...input } }) => listAudit(ctx.service, input)),
});
