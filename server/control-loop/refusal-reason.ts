import { type Reason, reason } from "#server/domain/reasons.ts";
import type { DriverErrorKind } from "#server/providers/driver-errors.ts";

/** Why a machine could not be launched or started. */
export function refusalReason(kind: DriverErrorKind, facts: { offerId: string; message: string }): Reason {
	if (kind === "insufficient_capacity") return reason("launch_refused_capacity", facts);
	return kind === "quota_exceeded" ? reason("launch_refused_quota", facts) : reason("launch_refused", facts);
}
