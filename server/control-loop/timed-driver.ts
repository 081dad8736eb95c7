import { driverCallSeconds } from "#server/services/core/process-metrics.ts";

/** A driver that records the duration and outcome of each asynchronous call. `T` is one of the two ports of server/providers/driver.ts. */
export function timedDriver<T extends { readonly siteId: string }>(driver: T): T {
	return new Proxy(driver, {
		get(target, name) {
			const value: unknown = Reflect.get(target, name, target);
			if (typeof value !== "function" || typeof name !== "string") return value;
			return (...args: unknown[]): unknown => {
				const end = driverCallSeconds.startTimer({ site: target.siteId, call: name });
				const result: unknown = Reflect.apply(value, target, args);
				if (result instanceof Promise)
					result.then(
						() => void end({ outcome: "ok" }),
						() => void end({ outcome: "error" }),
					);
				return result;
			};
		},
	});
}
