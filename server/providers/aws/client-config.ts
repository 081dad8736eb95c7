import http from "node:http";
import https from "node:https";
import { proxyEnvironment } from "#server/env.ts";
import type { ParsedAwsSettings } from "./settings.ts";

type Settings = Pick<ParsedAwsSettings, "endpoint" | "credentials" | "connectTimeoutMs" | "answerTimeoutMs">;

/** Client configuration for any AWS service in a region: the site's endpoint, keys and time limits. */
export function clientConfig(
	{ endpoint, credentials, connectTimeoutMs, answerTimeoutMs }: Settings,
	region: string,
	proxyEnv = proxyEnvironment(),
) {
	// The SDK creates its own agents, which ignore the global proxy.
	const agents = proxyEnv === undefined ? {} : { httpAgent: new http.Agent({ proxyEnv }), httpsAgent: new https.Agent({ proxyEnv }) };
	return {
		region,
		requestHandler: { connectionTimeout: connectTimeoutMs, requestTimeout: answerTimeoutMs, throwOnRequestTimeout: true, ...agents },
		...(endpoint === undefined ? {} : { endpoint }),
		...(credentials === undefined
			? {}
			: {
					credentials: {
						accessKeyId: credentials.accessKeyId,
						secretAccessKey: credentials.secretAccessKey,
						...(credentials.sessionToken === undefined ? {} : { sessionToken: credentials.sessionToken }),
					},
				}),
	};
}
