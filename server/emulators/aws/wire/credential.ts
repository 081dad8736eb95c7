import { Ec2Error } from "../ec2-error.ts";

const SCOPE = /^AWS4-HMAC-SHA256\s+Credential=([^/,\s]+)\/(\d{8})\/([a-z0-9-]+)\/([a-z0-9-]+)\/aws4_request\s*,/;

/**
 * The region a request is meant for, from the credential scope of its SigV4 header. The signature is not checked:
 * the endpoint listens on loopback only and gives access to nothing but itself.
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
