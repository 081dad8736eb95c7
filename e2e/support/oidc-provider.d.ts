/** What the browser tests use of oidc-provider, which ships no types. */
declare module "oidc-provider" {
	import type { IncomingMessage, Server, ServerResponse } from "node:http";
	// biome-ignore lint/style/noDefaultExport: the package exports its class so
	export default class Provider {
		constructor(issuer: string, configuration: Record<string, unknown>);
		listen(port: number, host: string): Server;
		callback(): (request: IncomingMessage, response: ServerResponse) => void;
	}
}
