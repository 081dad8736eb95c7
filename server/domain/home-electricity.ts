import { HOUR_MS } from "../kernel/units.ts";

/** Time at home, split by the source of the electricity price; null for a part without any time. */
export interface HomeElectricity<Micro = bigint> {
	/** Hours with their own price, such as day-ahead market prices. */
	hourly: PricedTime<Micro> | null;
	/** All other hours, at the price of the rate card. */
	card: PricedTime<Micro> | null;
	/** Source of the hourly prices, as entered with the import. */
	sources: string[];
}

export interface PricedTime<Micro = bigint> {
	/** Total time for which slots were held, over all allocations. */
	ms: number;
	/** Average price per kWh, rounded toward zero; negative when the market paid. */
	microUsdPerKwh: Micro;
}

/** How many of the coming hours have their own price in a site's price of a GPU-hour. */
export interface ElectricityAhead {
	siteId: string;
	hours: number;
	hoursPriced: number;
	sources: string[];
}

/** "home: 18 of the next 24 h at known prices (EPEX day-ahead), the others at the rate card's". */
export function electricityAheadWords({ siteId, hours, hoursPriced, sources }: ElectricityAhead): string {
	const others = hoursPriced < hours ? ", the others at the rate card's" : "";
	return `${siteId}: ${hoursPriced} of the next ${hours} h at known prices (${sources.join("; ")})${others}`;
}

/** "37 h at hourly prices ($0.081 a kWh on average; EPEX day-ahead), 3 h at the rate card's ($0.11 a kWh)". */
export function electricityWords({ hourly, card, sources }: HomeElectricity<bigint | string>): string {
	const parts: string[] = [];
	if (hourly) parts.push(`${hoursText(hourly.ms)} at hourly prices (${price(hourly)} a kWh on average; ${sources.join("; ")})`);
	if (card) parts.push(`${hoursText(card.ms)} at the rate card's (${price(card)} a kWh)`);
	return parts.join(", ");
}

function hoursText(ms: number): string {
	const tenths = Math.round((ms / HOUR_MS) * 10);
	return tenths === 0 ? "under 0.1 h" : `${tenths / 10} h`;
}

/** To the hundredth of a cent. */
function price({ microUsdPerKwh }: PricedTime<bigint | string>): string {
	const usd = Math.round(Number(microUsdPerKwh) / 100) / 10_000;
	const digits = String(Math.abs(usd)).split(".")[1]?.length ?? 0;
	return `${usd < 0 ? "−" : ""}$${Math.abs(usd).toFixed(Math.max(2, digits))}`;
}
