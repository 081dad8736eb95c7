/** What an option costs in a month of 730 hours at the recorded demand, US dollars. */
export interface OptionMoney {
	ownedGpus: number;
	/** Bought in month 0; they run after the delivery. */
	purchaseUsd: number;
	/** What the purchase is worth at the horizon. */
	resaleUsd: number;
	/** Space, support and staff of all owned GPUs. */
	fixedUsd: number;
	powerUsd: number;
	cloudUsd: number;
	/** Share of the rented GPU time that was lost with interruptions, boots and restores. */
	lostShare: number;
	/** False: what does not fit waits. */
	hasCloud: boolean;
}

/** Cloud cost of a month by owned GPUs under the burst policy, ascending in GPUs. */
export type CloudCurve = readonly { gpus: number; cloudUsd: number }[];

/** What may turn out otherwise. Factors are 1, rates 0, where nothing changes. */
export interface Outlook {
	horizonMonths: number;
	discountRate: number;
	deliveryMonths: number;
	growthPerYear: number;
	cloudPriceChangePerYear: number;
	demand: number;
	cloudPrice: number;
	power: number;
	hardware: number;
	interruptions: number;
}

export interface FinanceContext {
	/** Own GPUs of today, which an order replaces only after its delivery. */
	today: OptionMoney;
	curve: CloudCurve;
}

/** Payments by month; month 0 is the order. What the GPUs of today cost to buy was paid before, and is in no option. */
export function paymentsOf(option: OptionMoney, { today, curve }: FinanceContext, outlook: Outlook): number[] {
	const payments = [option.purchaseUsd * outlook.hardware];
	for (let month = 1; month <= outlook.horizonMonths; month++) {
		const isDelivered = option.purchaseUsd === 0 || month > outlook.deliveryMonths;
		const running = isDelivered ? option : { ...today, hasCloud: option.hasCloud, lostShare: option.lostShare };
		const years = month / 12;
		const demand = outlook.demand * (1 + outlook.growthPerYear) ** years;
		const price =
			outlook.cloudPrice * (1 + outlook.cloudPriceChangePerYear) ** years * (1 + (outlook.interruptions - 1) * option.lostShare);
		const cloud = running.hasCloud ? cloudAt(running, curve, demand) * price : 0;
		payments.push(running.fixedUsd + running.powerUsd * outlook.power + cloud);
	}
	payments[outlook.horizonMonths] = (payments[outlook.horizonMonths] ?? 0) - option.resaleUsd * outlook.hardware;
	return payments;
}

/**
 * Cloud cost at another demand. With g times the demand, C GPUs do what C ÷ g do now, g times: g × curve(C ÷ g). It is exact when all
 * times stay and every job's GPUs grow by g. An option under another policy keeps its ratio to the curve.
 */
function cloudAt(option: OptionMoney, curve: CloudCurve, demand: number): number {
	if (demand <= 0) return 0;
	const now = curveAt(curve, option.ownedGpus);
	const ratio = now > 0 ? option.cloudUsd / now : 1;
	return ratio * demand * curveAt(curve, option.ownedGpus / demand);
}

/** Linear between replays, and on along the last line until nothing is left. */
export function curveAt(curve: CloudCurve, gpus: number): number {
	const next = Math.max(
		1,
		curve.findIndex((point) => point.gpus >= gpus),
	);
	const beyond = gpus > (curve.at(-1)?.gpus ?? 0);
	const [a, b] = beyond ? curve.slice(-2) : curve.slice(next - 1, next + 1);
	if (!a || !b) return a?.cloudUsd ?? 0;
	return Math.max(0, a.cloudUsd + ((b.cloudUsd - a.cloudUsd) * (gpus - a.gpus)) / (b.gpus - a.gpus));
}

/** Worth of the payments today. Month m is discounted by (1 + rate)^(m ÷ 12); taxes are excluded. */
export function presentValue(payments: readonly number[], discountRate: number): number {
	return payments.reduce((sum, payment, month) => sum + payment / (1 + discountRate) ** (month / 12), 0);
}

export function cumulative(payments: readonly number[]): number[] {
	let sum = 0;
	return payments.map((payment) => {
		sum += payment;
		return Math.round(sum);
	});
}

/** The first month after the order in which the first has cost no more than the second; null: none. */
export function paybackMonth(option: readonly number[], reference: readonly number[]): number | null {
	const month = option.findIndex((paid, m) => m > 0 && paid <= (reference[m] ?? Number.NEGATIVE_INFINITY));
	return month < 0 ? null : month;
}
