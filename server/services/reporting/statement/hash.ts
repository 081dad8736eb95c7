import { createHash } from "node:crypto";
import { canonicalJson } from "#server/accounting/statement-json.ts";
import type { StatementContent } from "#server/domain/statement.ts";

/** The signed hash: the hash of the canonical JSON, in hexadecimal. */
export function sha256Of(content: StatementContent): string {
	return createHash("sha256").update(canonicalJson(content)).digest("hex");
}
