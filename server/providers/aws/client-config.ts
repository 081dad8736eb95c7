import http from "node:http";
import https from "node:https";
import { proxyEnvironment } from "#server/env.ts";
import type { ParsedAwsSettings } from "./settings.ts";

type Settings = Pick<ParsedAwsSettings, "endpoint" | "credentials" | "connectTimeoutMs" | "answerTimeoutMs">;

/** What the client of any AWS service is made with in a region: the site's endpoint, keys and times. */
export function clientConfig(
	{ endpoint, credentials, connectTimeoutMs, answerTimeoutMs }: Settings,
	region: string,
	proxyEnv = proxyEnvironment(),
) {
	// The SDK creates its own agents, which do not follow the global proxy.
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
