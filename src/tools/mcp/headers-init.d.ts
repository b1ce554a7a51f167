// The SDK's types name what only the DOM's library declares.
type HeadersInit = NonNullable<ConstructorParameters<typeof Headers>[0]>
