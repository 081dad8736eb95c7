import { writeKeyFile } from "#server/emulators/gcp/key-file.ts";
import type { ComputeClients } from "#server/providers/gcp/compute-clients.ts";

/** Google's SDK takes a second to open. The key is in `keyFolder` and is set where Google's credential chain looks for it. */
export async function openGoogle(endpoint: string, keyFolder: string): Promise<ComputeClients> {
	process.env["GOOGLE_APPLICATION_CREDENTIALS"] = writeKeyFile(keyFolder);
	const { openComputeClients } = await import("#server/providers/gcp/compute-clients.ts");
	return openComputeClients({ endpoint });
}
