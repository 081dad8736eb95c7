import { paginateListServiceQuotas, ServiceQuotasClient } from "@aws-sdk/client-service-quotas";
import { z } from "zod";
import type { Clock } from "#server/kernel/clock.ts";
import { HOUR_MS, MINUTE_MS } from "#server/kernel/units.ts";
import { parseAnswer, readPages } from "./answers.ts";
import { clientConfig } from "./client-config.ts";
import { readVcpuQuotas, type VcpuQuota } from "./quotas.ts";
import type { ParsedAwsSettings } from "./settings.ts";

/** Amazon raises a quota on request, within days. */
const REFRESH_MS = HOUR_MS;
/** Delay after a failure; the previous values remain in use meanwhile. */
const RETRY_MS = 10 * MINUTE_MS;
const PAGE_SIZE = 100;

const rowsSchema = z.array(z.object({ QuotaCode: z.string(), QuotaName: z.string(), Value: z.number() }));

/** The account's quotas from Service Quotas (`servicequotas:ListServiceQuotas`) per region, refreshed every hour. */
export class AwsQuotas {
	readonly #settings: ParsedAwsSettings;
	readonly #clock: Clock;
	readonly #clients = new Map<string, ServiceQuotasClient>();
	readonly #known = new Map<string, { quotas: Promise<readonly VcpuQuota[]>; dueMs: number }>();

	constructor(settings: ParsedAwsSettings, clock: Clock) {
		this.#settings = settings;
		this.#clock = clock;
	}

	/** The current quotas. Empty if they could never be read; then a launch above one fails with that error. Never throws. */
	in(region: string): Promise<readonly VcpuQuota[]> {
		const nowMs = this.#clock.nowMs();
		const known = this.#known.get(region);
		if (known && nowMs < known.dueMs) return known.quotas;
		const entry = { quotas: this.#readAgain(region, known?.quotas), dueMs: nowMs + REFRESH_MS };
		this.#known.set(region, entry);
		return entry.quotas;
	}

	async #readAgain(region: string, before: Promise<readonly VcpuQuota[]> | undefined): Promise<readonly VcpuQuota[]> {
		try {
			return await this.read(region);
		} catch {
			const entry = this.#known.get(region);
			if (entry) entry.dueMs = this.#clock.nowMs() + RETRY_MS;
			return (await before) ?? [];
		}
	}

	/** @throws DriverError unauthorized without the right to read them, and similar */
	async read(region: string): Promise<VcpuQuota[]> {
		const what = `quotas in ${region}`;
		const paginator = paginateListServiceQuotas({ client: this.#client(region), pageSize: PAGE_SIZE }, { ServiceCode: "ec2" });
		const rows = await readPages(what, paginator, (page) => page.Quotas);
		return readVcpuQuotas(parseAnswer(what, rowsSchema, rows));
	}

	close(): void {
		for (const client of this.#clients.values()) client.destroy();
		this.#clients.clear();
	}

	#client(region: string): ServiceQuotasClient {
		const known = this.#clients.get(region);
		if (known) return known;
		const client = new ServiceQuotasClient(clientConfig(this.#settings, region));
		this.#clients.set(region, client);
		return client;
	}
}
