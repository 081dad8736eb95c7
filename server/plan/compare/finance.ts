/** Cost of an option in a month of 730 hours at the recorded demand, US dollars. */
export interface OptionMoney {
	ownedGpus: number;
	/** Bought in month 0; in use after the delivery. */
	purchaseUsd: number;
	/** Value of the purchase at the horizon. */
	resaleUsd: number;
	/** Space, support and staff of all owned GPUs. */
	fixedUsd: number;
	powerUsd: number;
	cloudUsd: number;
	/** Share of the rented GPU time lost to interruptions, boots and restores. */
	lostShare: number;
	/** False: jobs that do not fit wait. */
	hasCloud: boolean;
}

/** Cloud cost of a month by owned GPUs under the burst policy, ascending in GPUs. */
export type CloudCurve = readonly { gpus: number; cloudUsd: number }[];

/** Sensitivity inputs. Factors are 1 and rates 0 where nothing changes. */
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
	/** Today's owned GPUs, which an order replaces only after its delivery. */
	today: OptionMoney;
	curve: CloudCurve;
}

/** Payments by month; month 0 is the order. The purchase price of today's GPUs was already paid, so no option includes it. */
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
 * Cloud cost at another demand. With g times the demand, C GPUs behave like C ÷ g do now, g times over: g × curve(C ÷ g). It is exact when
 * all times stay the same and every job's GPUs grow by g. An option under another policy keeps its ratio to the curve.
 */
function cloudAt(option: OptionMoney, curve: CloudCurve, demand: number): number {
	if (demand <= 0) return 0;
	const now = curveAt(curve, option.ownedGpus);
	const ratio = now > 0 ? option.cloudUsd / now : 1;
	return ratio * demand * curveAt(curve, option.ownedGpus / demand);
}

/** Linear between replays, and beyond them along the last segment down to zero. */
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

/** Present value of the payments. Month m is discounted by (1 + rate)^(m ÷ 12); taxes are excluded. */
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

/** The first month after the order in which the first option has cost no more than the second; null if there is none. */
export function paybackMonth(option: readonly number[], reference: readonly number[]): number | null {
	const month = option.findIndex((paid, m) => m > 0 && paid <= (reference[m] ?? Number.NEGATIVE_INFINITY));
	return month < 0 ? null : month;
}
