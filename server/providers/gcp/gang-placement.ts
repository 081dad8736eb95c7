import { needsInterconnect } from "#server/domain/interconnect.ts";
import type { GangPlacement, LaunchRequest } from "../driver.ts";
import { namePrefix } from "./names.ts";

export function isCloseTogether({ nodes = 1, interconnect }: LaunchRequest): boolean {
	return needsInterconnect({ nodes, interconnect });
}

/**
 * Name of the compact placement policy of a gang that needs a high-bandwidth interconnect. null without one, and for a named reservation,
 * which has its own.
 */
export function placementPolicyOf(request: LaunchRequest, controlPlane: string): string | null {
	if (!isCloseTogether(request) || request.reservation) return null;
	return `${namePrefix(controlPlane)}${request.attemptId.replaceAll("_", "-")}`;
}

/** Our policies among those of a region. A policy has no labels, so its name identifies the control plane and the attempt. */
export function placementsIn(region: string, names: readonly string[], controlPlane: string): GangPlacement[] {
	const prefix = namePrefix(controlPlane);
	return names
		.filter((name) => name.startsWith(`${prefix}att-`))
		.map((name) => ({ region, name, attemptId: name.slice(prefix.length).replaceAll("-", "_") }));
}
