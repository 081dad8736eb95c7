import { type Emulator, startEmulator } from "../shared/emulator.ts";
import { textAnswer } from "../shared/http/answer.ts";
import { MachineBook } from "../shared/machine-book.ts";
import { openAvailabilitySets } from "./availability-set-records.ts";
import { azureFaults } from "./azure-faults.ts";
import { type BookedAzureInstance, bookedInstances } from "./booked-instances.ts";
import { Catalog } from "./catalog.ts";
import { DocumentSigner } from "./document-signer.ts";
import { answerArm } from "./http/arm-endpoint.ts";
import { answerMetadata } from "./http/metadata-endpoint.ts";
import { answerPriceList, PRICE_LIST_PATH } from "./http/price-list-endpoint.ts";
import { azureLifecycle } from "./lifecycle.ts";
import { azureMachineSchema } from "./machine.ts";
import { type AzureEmulatorOptions, resolveOptions } from "./options.ts";
import type { World } from "./world.ts";

export type AzureEmulator = Emulator<BookedAzureInstance>;

/** Starts an Azure Resource Manager endpoint on loopback. Its virtual machines are processes of this host. */
export function startAzureEmulator(given: AzureEmulatorOptions): Promise<AzureEmulator> {
	const options = resolveOptions(given);
	const catalog = new Catalog(options.catalog);
	const book = new MachineBook(options.stateDir, azureMachineSchema, options.clock());
	const availabilitySets = openAvailabilitySets(options.stateDir);
	const faults = azureFaults();
	let url = "";
	const lifecycle = azureLifecycle(options, book, () => url);
	const signer = new DocumentSigner(options, () => url);
	const world: World = { options, catalog, book, availabilitySets, lifecycle, faults, signer, url: () => url, closing: false };
	return startEmulator({
		endpointName: "emulated Azure endpoint",
		options,
		regions: catalog.regions,
		faults,
		lifecycle,
		machine: (instanceId) => book.machine(instanceId),
		instances: () => bookedInstances(world),
		async answer(request, path, nowMs) {
			if (path === "/attested/root") return textAnswer(200, await signer.certificate("root"));
			if (path === "/attested/issuer") return textAnswer(200, await signer.certificate("issuer"));
			if (path.startsWith("/imds/")) return answerMetadata(world, request, path);
			if (path === PRICE_LIST_PATH) return answerPriceList(world, new URL(request.url ?? "/", url));
			return answerArm(world, request, nowMs);
		},
		onListening(address) {
			url = address;
		},
		onStopping() {
			world.closing = true;
		},
	});
}
