import type { ComputeManagementClient } from "@azure/arm-compute";
import type { TokenCredential } from "@azure/identity";
import type { ParsedAzureSettings } from "./settings.ts";

type Client = typeof ComputeManagementClient;
type Policy = Parameters<ComputeManagementClient["pipeline"]["addPolicy"]>[0];

/** The SDK's client for one subscription, loaded when it is first needed. */
export async function connect(settings: ParsedAzureSettings): Promise<ComputeManagementClient> {
	const { subscriptionId, endpoint, answerTimeoutMs, accessToken } = settings;
	const { ComputeManagementClient } = await import("@azure/arm-compute");
	const client = new ComputeManagementClient(await credentialOf(settings), subscriptionId, {
		// The loop makes the same call again by the same name; retries here would only hide what happens.
		retryOptions: { maxRetries: 0 },
		...(endpoint === undefined ? {} : { endpoint, allowInsecureConnection: endpoint.startsWith("http:") }),
	});
	client.pipeline.addPolicy(timeLimit(answerTimeoutMs));
	if (accessToken !== undefined) client.pipeline.addPolicy(bearer(accessToken));
	return client;
}

async function credentialOf({ accessToken, credentials }: ParsedAzureSettings): Promise<ConstructorParameters<Client>[0]> {
	// The SDK refuses to send a credential's token over plain http; without a credential it adds none, and `bearer` does.
	if (accessToken !== undefined) return undefined as unknown as TokenCredential;
	const { ClientSecretCredential, DefaultAzureCredential } = await import("@azure/identity");
	if (credentials === undefined) return new DefaultAzureCredential();
	return new ClientSecretCredential(credentials.tenantId, credentials.clientId, credentials.clientSecret);
}

/** For every request, the further pages of a list included, to which the SDK hands no option of the call. */
function timeLimit(answerTimeoutMs: number): Policy {
	return {
		name: "spillwayTimeLimit",
		sendRequest(request, next) {
			request.timeout = answerTimeoutMs;
			return next(request);
		},
	};
}

function bearer(token: string): Policy {
	return {
		name: "spillwayBearer",
		sendRequest(request, next) {
			request.headers.set("authorization", `Bearer ${token}`);
			return next(request);
		},
	};
}
