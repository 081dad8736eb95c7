import { createHash } from "node:crypto";
import type { ParsedGcpSettings } from "./settings.ts";

/** Labels of every machine: the port's tags in the characters that Google allows in a label key. */
export const CONTROL_PLANE_LABEL = "spillway-control-plane";
export const INSTANCE_LABEL = "spillway-instance";
export const JOB_LABEL = "spillway-job";
/** Seconds since 1970, because a label cannot contain a colon. */
export const EXPIRES_LABEL = "spillway-expires-at";
/** The hash of the request: identifies a repeated token with other parameters. */
export const REQUEST_LABEL = "spillway-request";

/** Name prefix of this control plane's machines. Two control planes in one project never share a prefix. */
export function namePrefix(controlPlane: string): string {
	return `spw-${sum(controlPlane).slice(0, 8)}-`;
}

/** RFC 1035: lowercase letters, digits and hyphens, at most 63. */
export function machineName(controlPlane: string, instanceId: string): string {
	return `${namePrefix(controlPlane)}${instanceId.replaceAll("_", "-")}`;
}

/** The instance id from a name; null if we did not create the name. */
export function instanceIdOfName(controlPlane: string, name: string): string | null {
	const prefix = namePrefix(controlPlane);
	if (!name.startsWith(`${prefix}ins-`)) return null;
	return name.slice(prefix.length).replaceAll("-", "_");
}

/**
 * Google remembers a request by this id for at least an hour, including failed ones. The id of a try after a failure is therefore
 * different, and the same for everyone who saw the same failures.
 */
export function requestIdOf(machine: string, refusals: number): string {
	const h = sum(`${machine}/${refusals}`);
	// In the format of a version 8 UUID with custom content (RFC 9562).
	return `${h.slice(0, 8)}-${h.slice(8, 12)}-8${h.slice(13, 16)}-a${h.slice(17, 20)}-${h.slice(20, 32)}`;
}

/** A machine's id in the port: `<zone>/<Google's number>`. The number alone would not be enough to delete it. */
export function providerIdOf(zone: string, id: string): string {
	return `${zone}/${id}`;
}

/** null if the id does not have this form; then no machine here ever had it. */
export function readProviderId(providerInstanceId: string): { zone: string; id: string } | null {
	const [, zone, id] = /^([a-z]+(?:-[a-z]+)+\d+-[a-z0-9]+)\/(\d+)$/.exec(providerInstanceId) ?? [];
	return zone === undefined || id === undefined ? null : { zone, id };
}

/** Returns `us-central1` for `us-central1-a`. */
export function regionOfZone(zone: string): string {
	return zone.replace(/-[a-z0-9]+$/, "");
}

/** The last segment of a Google URL: `…/zones/us-central1-a` gives `us-central1-a`. */
export function lastPart(url: string): string {
	return url.slice(url.lastIndexOf("/") + 1);
}

export function ourLabel({ controlPlane }: Pick<ParsedGcpSettings, "controlPlane">): string {
	return `labels.${CONTROL_PLANE_LABEL}="${controlPlane}"`;
}

export function sum(text: string): string {
	return createHash("sha256").update(text).digest("hex");
}
