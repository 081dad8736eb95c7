import type { ParsedAwsSettings } from "./settings.ts";

/** What the client of any AWS service is made with in a region: the site's endpoint, keys and times. */
export function clientConfig({ endpoint, credentials, connectTimeoutMs, answerTimeoutMs }: ParsedAwsSettings, region: string) {
	return {
		region,
		requestHandler: { connectionTimeout: connectTimeoutMs, requestTimeout: answerTimeoutMs, throwOnRequestTimeout: true },
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
