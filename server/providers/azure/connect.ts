import type { ComputeManagementClient } from "@azure/arm-compute";
import type { TokenCredential } from "@azure/identity";
import { repeatAfterReset } from "../repeat-after-reset.ts";
import type { ParsedAzureSettings } from "./settings.ts";

type Policy = Parameters<ComputeManagementClient["pipeline"]["addPolicy"]>[0];

/** What an emulated endpoint on this host lets in: nothing that is worth anything elsewhere. */
const EMULATOR_TOKEN = "emulated";
// The SDK refuses to send a credential's token over plain http; without a credential it adds none, and `bearer` does.
const NO_CREDENTIAL = undefined as unknown as TokenCredential;

/** The SDK's client for one subscription, loaded when it is first needed. */
export async function connect(settings: ParsedAzureSettings): Promise<ComputeManagementClient> {
	const { subscriptionId, endpoint, answerTimeoutMs } = settings;
	const isPlain = endpoint?.startsWith("http:") === true;
	const { ComputeManagementClient } = await import("@azure/arm-compute");
	const client = new ComputeManagementClient(isPlain ? NO_CREDENTIAL : await credentialOf(settings), subscriptionId, {
		// The loop makes the same call again by the same name; retries here would only hide what happens.
		retryOptions: { maxRetries: 0 },
		...(endpoint === undefined ? {} : { endpoint, allowInsecureConnection: isPlain }),
	});
	client.pipeline.addPolicy(timeLimit(answerTimeoutMs));
	client.pipeline.addPolicy(readsRepeatedAfterReset);
	if (isPlain) client.pipeline.addPolicy(bearer(EMULATOR_TOKEN));
	return client;
}

/** A token for what the SDK has no part for. */
export async function tokenOf(settings: ParsedAzureSettings): Promise<string> {
	if (settings.endpoint?.startsWith("http:")) return EMULATOR_TOKEN;
	const credential = await credentialOf(settings);
	const found = await credential.getToken("https://management.azure.com/.default");
	// @azure/core-auth: null is "no token was needed", which Azure never says.
	return found?.token ?? "";
}

async function credentialOf({ credentials }: ParsedAzureSettings): Promise<TokenCredential> {
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

const readsRepeatedAfterReset: Policy = {
	name: "spillwayRepeatAfterReset",
	sendRequest: (request, next) => (request.method === "GET" ? repeatAfterReset(() => next(request)) : next(request)),
};

function bearer(token: string): Policy {
	return {
		name: "spillwayBearer",
		sendRequest(request, next) {
			request.headers.set("authorization", `Bearer ${token}`);
			return next(request);
		},
	};
}
