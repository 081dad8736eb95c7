import { createHash } from "node:crypto";
import type { ParsedGcpSettings } from "./settings.ts";

/** Labels of every machine: the port's tags in the letters that Google allows in a label's key. */
export const CONTROL_PLANE_LABEL = "spillway-control-plane";
export const INSTANCE_LABEL = "spillway-instance";
export const JOB_LABEL = "spillway-job";
/** Seconds since 1970, since a label holds no colon. */
export const EXPIRES_LABEL = "spillway-expires-at";
/** The sum of what was asked for: the same token with other parameters is seen by it. */
export const REQUEST_LABEL = "spillway-request";

/** What the names of this control plane's machines begin with; two control planes in one project never meet in a name. */
export function namePrefix(controlPlane: string): string {
	return `spw-${sum(controlPlane).slice(0, 8)}-`;
}

/** RFC 1035: lowercase letters, digits and hyphens, at most 63. */
export function machineName(controlPlane: string, instanceId: string): string {
	return `${namePrefix(controlPlane)}${instanceId.replaceAll("_", "-")}`;
}

/** The way back from a name; null for a machine that is not named by us. */
export function instanceIdOfName(controlPlane: string, name: string): string | null {
	const prefix = namePrefix(controlPlane);
	if (!name.startsWith(`${prefix}ins-`)) return null;
	return name.slice(prefix.length).replaceAll("-", "_");
}

/**
 * Google remembers a request by this id for at least an hour, refusals included: the id of a try after a refusal is
 * another one, and the same for everybody who saw the same refusals.
 */
export function requestIdOf(machine: string, refusals: number): string {
	const h = sum(`${machine}/${refusals}`);
	// The form of a UUID of version 8, with custom content (RFC 9562).
	return `${h.slice(0, 8)}-${h.slice(8, 12)}-8${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
}

/** A machine as the port knows it: `<zone>/<Google's number>`. The number alone would not say where to end it. */
export function providerIdOf(zone: string, id: string): string {
	return `${zone}/${id}`;
}

/** Null for what is not of that form, which no machine here ever had. */
export function readProviderId(providerInstanceId: string): { zone: string; id: string } | null {
	const [, zone, id] = /^([a-z]+(?:-[a-z]+)+\d+-[a-z0-9]+)\/(\d+)$/.exec(providerInstanceId) ?? [];
	return zone === undefined || id === undefined ? null : { zone, id };
}

/** `us-central1` of `us-central1-a`. */
export function regionOfZone(zone: string): string {
	return zone.replace(/-[a-z0-9]+$/, "");
}

/** The last word of one of Google's addresses: `…/zones/us-central1-a` gives `us-central1-a`. */
export function lastPart(url: string): string {
	return url.slice(url.lastIndexOf("/") + 1);
}

export function ourLabel({ controlPlane }: Pick<ParsedGcpSettings, "controlPlane">): string {
	return `labels.${CONTROL_PLANE_LABEL}="${controlPlane}"`;
}

export function sum(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
