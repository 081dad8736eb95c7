import { setGlobalProxyFromEnv } from "node:http";
import { proxyEnvironment } from "#server/env.ts";

/**
 * Sends outgoing calls of this process through the proxy of HTTP_PROXY, HTTPS_PROXY and NO_PROXY, if one is set: fetch, and
 * requests that use the global agent. The SDKs of AWS (client-config.ts), Azure and Google read these variables themselves.
 */
export function configureProxy(): void {
	const proxy = proxyEnvironment();
	if (proxy !== undefined) setGlobalProxyFromEnv(proxy);
}
