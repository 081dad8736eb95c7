import type { IncomingHttpHeaders } from "node:http";
import { MINUTE_MS } from "#server/kernel/units.ts";
import { Ec2Error } from "../ec2-error.ts";

/** Source: Amazon EC2 API Reference, "Error codes", RequestExpired: a date stamp more than 15 minutes off, either way. */
const DATE_OFF_MAX_MS = 15 * MINUTE_MS;

const SCOPE = /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request\s*,/;

/**
 * Returns the target region of a request, from the credential scope of its SigV4 header. The signature is not checked: the
 * endpoint listens only on loopback and gives access to nothing but itself.
 * @throws Ec2Error AuthFailure
 */
export function regionOfRequest(
	authorization: string | undefined,
	accessKeyIds: readonly string[],
	regions: ReadonlySet<string>,
	service = "ec2",
): string {
	const [, accessKeyId = "", , region = "", signedFor] = SCOPE.exec(authorization ?? "") ?? [];
	if (signedFor !== service)
		throw new Ec2Error("AuthFailure", `The request carries no AWS4-HMAC-SHA256 credential for the service ${service}.`);
	if (!accessKeyIds.includes(accessKeyId)) throw new Ec2Error("AuthFailure");
	if (!regions.has(region)) throw new Ec2Error("AuthFailure", `Credential should be scoped to a valid region, not '${region}'.`);
	return region;
}

/**
 * Checks that the request was signed at about the given time. null: any time, because an emulator's clock may run faster than the
 * clock that the SDK signs with.
 * @throws Ec2Error RequestExpired
 */
export function requireCurrentSignature(headers: IncomingHttpHeaders, nowMs: number | null): void {
	const [, ...digits] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(String(headers["x-amz-date"])) ?? [];
	const [year = 0, month = 0, ...rest] = digits.map(Number);
	if (nowMs === null || Math.abs(Date.UTC(year, month - 1, ...rest) - nowMs) <= DATE_OFF_MAX_MS) return;
	throw new Ec2Error("RequestExpired", "Request has expired.", 400);
}
