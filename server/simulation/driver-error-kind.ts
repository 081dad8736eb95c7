/** The provider's ways of saying no that the simulated cloud uses; the same words as the drivers' (providers/driver-errors). */
export type DriverErrorKind = "insufficient_capacity" | "quota_exceeded" | "throttled" | "transient";
