#!/bin/sh
# A program of the tests that speaks the Agent Client Protocol. What it does is the text of a prompt.
say() {
    printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"%s"}}}}\n' "$1"
}
answer() {
    printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$1" "$2"
}
while IFS= read -r line; do
    id=${line#*'"id":'}
    id=${id%%[,\}]*}
    case $line in
    *'"method":"initialize"'*) answer "$id" '{"protocolVersion":1,"agentCapabilities":{}}' ;;
    *'"method":"session/new"'*) answer "$id" '{"sessionId":"s"}' ;;
    *'"method":"session/set_mode"'*) answer "$id" '{}' ;;
    *'"method":"session/prompt"'*)
        first=${line#*'"text":"'}
        first=${first%%'"'*}
        text=${line##*'"text":"'}
        text=${text%%'"'*}
        rest=${text#* }
        case $text in
        env*) say "$(printenv "$rest")" ;;
        where*) say "$(pwd)" ;;
        prompt*) say "$first" ;;
        ask*)
            printf '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"tool_call","toolCallId":"c","title":"a call","kind":"%s","status":"pending"}}}\n' "$rest"
            printf '{"jsonrpc":"2.0","id":"q","method":"session/request_permission","params":{"sessionId":"s","toolCall":{"toolCallId":"c","kind":"%s","title":"a call"},"options":[{"optionId":"yes","name":"yes","kind":"allow_once"},{"optionId":"no","name":"no","kind":"reject_once"}]}}\n' "$rest"
            IFS= read -r decided
            case $decided in
            *'"optionId":"yes"'*) say allowed ;;
            *) say rejected ;;
            esac
            ;;
        esac
        answer "$id" '{"stopReason":"end_turn"}'
        ;;
    esac
done
