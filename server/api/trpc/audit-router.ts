import { auditOperations } from "../operations/audit.ts";
import { router } from "./init.ts";
import { proceduresOf } from "./procedures.ts";

export const auditRouter = router(proceduresOf(auditOperations));
